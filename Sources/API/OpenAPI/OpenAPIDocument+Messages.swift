extension OpenAPIDocument {
    /// Lists of operations.
    static let listPaths = [
        list(
            "/handshakes/by-sender", "handshakesBySender", of: "Handshake", by: ["Address"],
            "Handshakes that an address sent."),
        list(
            "/handshakes/by-receiver", "handshakesByReceiver", of: "Handshake", by: ["Address"],
            "Handshakes that an address received, those not accepted yet among them."),
        list(
            "/payments/by-sender", "paymentsBySender", of: "Payment", by: ["Address"],
            "Payments that an address sent."),
        list(
            "/payments/by-receiver", "paymentsByReceiver", of: "Payment", by: ["Address"],
            "Payments that an address received, those not accepted yet among them."),
        list(
            "/contextual-messages/by-sender", "contextualMessagesBySender", of: "ContextualMessage",
            by: ["Address", "Alias"],
            "Messages that an address wrote; with an alias, those of one conversation."),
        list(
            "/self-stash/by-owner", "selfStashByOwner", of: "SelfStash", by: ["Owner", "Scope"],
            "Notes of an address to itself."),
        list(
            "/group-messages/by-blinded-group-id", "groupMessages", of: "GroupMessage", by: ["BlindedGroupID"],
            "Messages of a group."),
        list(
            "/group-control/by-sender", "groupControlBySender", of: "GroupControl", by: ["Sender", "OrAddress"],
            "Group control that an address sent."),
        list(
            "/group-control/by-recipient", "groupControlByRecipient", of: "GroupControl",
            by: ["Recipient", "OrAddress"],
            "Group control addressed to the key of an address."),
        list(
            "/broadcasts/by-channel", "broadcastsByChannel", of: "Broadcast", by: ["Channel"],
            "Public messages of a channel."),
    ].joined()

    /// What the KaChat apps fetch in shapes of their own.
    static let appPaths = #"""
            "/contextual-messages/by-inbox": {
              "get": {
                "operationId": "contextualMessagesByInbox",
                "tags": ["messages"],
                "summary": "Messages to an address's inbox, whoever wrote them.",
                "description": "Accepted messages whose payload names the tag and whose sender is known, later than `block_time`, oldest first. Continue with the last row's `block_time`: a page never ends between two rows of one time, so it can be a little longer than `limit`. A page with 4 MiB of payloads is full, whatever its limit.",
                "parameters": [
                  {"name": "tag", "in": "query", "required": true, "description": "The first 16 bytes of SHA-256 of `kachat-inbox:v1:` and the recipient's address.", "schema": {"type": "string", "pattern": "^[0-9A-Fa-f]{32}$", "examples": ["91c2716cef3e35fd08bb763ca20ebeff"]}},
                  {"name": "block_time", "in": "query", "description": "Milliseconds since 1970, exclusive.", "schema": {"$ref": "#/components/schemas/Milliseconds", "default": 0}},
                  {"name": "limit", "in": "query", "description": "A number above 500 is 500.", "schema": {"type": "integer", "minimum": 1, "default": 100}}
                ],
                "responses": {
                  "200": {
                    "description": "The next rows; empty at the end, and for a tag that nobody wrote to.",
                    "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/ContextualMessage"}}}}
                  },
        \#(refusals(400, 429, 500, 503))
                }
              }
            },
            "/contextual-messages/by-txid": {
              "get": {
                "operationId": "contextualMessageByTransaction",
                "tags": ["messages"],
                "summary": "One contextual message by its transaction.",
                "parameters": [
                  {"name": "tx_id", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/TransactionID"}}
                ],
                "responses": {
                  "200": {
                    "description": "The message as it stands in the lists.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ContextualMessage"}}}
                  },
                  "404": {
                    "description": "The transaction is not known, or is something else.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
        \#(refusals(400, 429, 500, 503))
                }
              }
            },
            "/get-broadcasts": {
              "get": {
                "operationId": "getBroadcasts",
                "tags": ["messages"],
                "summary": "A channel's broadcasts, newest first.",
                "description": "Accepted ones whose sender is known. Continue with the last row's `blockTime` as `before` while `hasMore`: a page never ends between two rows of one time, so it can be a little longer than `limit`. A page with 4 MiB of payloads is full, whatever its limit.",
                "parameters": [
                  {"name": "channel", "in": "query", "required": true, "description": "The channel's name. Names are compared without white space at their ends and in lower case.", "schema": {"type": "string"}},
                  {"name": "limit", "in": "query", "description": "A number above 500 is 500.", "schema": {"type": "integer", "minimum": 1, "default": 200}},
                  {"name": "before", "in": "query", "description": "Milliseconds since 1970, exclusive; the newest without it.", "schema": {"$ref": "#/components/schemas/Milliseconds"}}
                ],
                "responses": {
                  "200": {
                    "description": "A page; empty for a channel that nobody writes to.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BroadcastPage"}}}
                  },
        \#(refusals(400, 429, 500, 503))
                }
              }
            },
            "/group-messages/by-blinded-group-ids": {
              "post": {
                "operationId": "groupMessagesOfMany",
                "tags": ["messages"],
                "summary": "Messages of several groups, a page for each.",
                "description": "Each page is what `GET /group-messages/by-blinded-group-id` answers for the same id, cursor and limit. Once the pages have 4 MiB of payloads together, those behind are empty: ask again with the cursors of what came.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {
                    "type": "object",
                    "required": ["queries"],
                    "properties": {"queries": {"type": "array", "maxItems": 64, "items": {
                      "type": "object",
                      "required": ["blindedGroupId"],
                      "properties": {
                        "blindedGroupId": {"$ref": "#/components/schemas/GroupID"},
                        "cursor": {"anyOf": [{"$ref": "#/components/schemas/Cursor"}, {"type": "null"}], "description": "The `cursor` of the last row seen; null from the beginning."},
                        "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": \#(greatest), "default": 10, "description": "A number above 50 is 50."}
                      }
                    }}}
                  }}}
                },
                "responses": {
                  "200": {
                    "description": "One result for each query, in their order.",
                    "content": {"application/json": {"schema": {
                      "type": "object",
                      "required": ["results"],
                      "properties": {"results": {"type": "array", "maxItems": 64, "items": {
                        "type": "object",
                        "required": ["blindedGroupId", "messages"],
                        "properties": {
                          "blindedGroupId": {"$ref": "#/components/schemas/GroupID"},
                          "messages": {"type": "array", "maxItems": 50, "items": {"$ref": "#/components/schemas/GroupMessage"}}
                        }
                      }}}
                    }}}
                  },
        \#(refusals(400, 408, 413, 415, 429, 500, 503))
                }
              }
            },

        """# + groupMessagesSince + groupControlSince

    private static let groupMessagesSince = since(
        "/group-messages/since", "groupMessagesSince", "What is new in several groups.", rows: "messages",
        of: "GroupMessage",
        asked: #"""
                  "required": ["blindedGroupIds"],
                  "properties": {
                    "blindedGroupIds": {"type": "array", "maxItems": 256, "items": {"$ref": "#/components/schemas/GroupID"}},
            """#)

    private static let groupControlSince = since(
        "/group-control/since", "groupControlSince", "What is new of group control.", rows: "controls",
        of: "GroupControl",
        asked: #"""
                  "description": "Sent by any of `senders` or addressed to `recipient`; one of the two must be given.",
                  "anyOf": [
                    {"required": ["senders"], "properties": {"senders": {"type": "array", "minItems": 1}}},
                    {"required": ["recipient"], "properties": {"recipient": {"type": "string"}}}
                  ],
                  "examples": [{"recipient": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"}],
                  "properties": {
                    "senders": {"type": ["array", "null"], "maxItems": 256, "items": {"$ref": "#/components/schemas/Address"}},
                    "recipient": {"anyOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}], "description": "Not a script's address."},
            """#)

    /// A call that merges what is new in several lists, with its comma; `asked` opens its body's schema up to the members that all such
    /// calls have.
    private static func since(
        _ path: String, _ id: String, _ summary: String, rows: String, of schema: String, asked: String
    ) -> String {
        #"""
            "\#(path)": {
              "post": {
                "operationId": "\#(id)",
                "tags": ["messages"],
                "summary": "\#(summary)",
                "description": "Rows of all of them that are later than `sinceBlockTime`, oldest first, each once. Continue with `latestBlockTime`: a page never ends between two rows of one time, so it can be shorter than `limit`, and longer where one time alone has more. A page with 4 MiB of payloads is full, whatever its limit.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {
                    "type": "object",
        \#(asked)
                      "sinceBlockTime": {"type": ["integer", "null"], "minimum": 0, "maximum": \#(greatest), "default": 0, "description": "Milliseconds since 1970, exclusive."},
                      "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": \#(greatest), "default": 200, "description": "A number above 500 is 500."}
                    }
                  }}}
                },
                "responses": {
                  "200": {
                    "description": "The next rows.",
                    "content": {"application/json": {"schema": {
                      "type": "object",
                      "required": ["\#(rows)", "latestBlockTime"],
                      "properties": {
                        "\#(rows)": {"type": "array", "items": {"$ref": "#/components/schemas/\#(schema)"}},
                        "latestBlockTime": {"type": "integer", "minimum": 0, "description": "The last row's block time; `sinceBlockTime` when there are none."}
                      }
                    }}}
                  },
        \#(refusals(400, 408, 413, 415, 429, 500, 503))
                }
              }
            },

        """#
    }

    /// What apps fetch besides the lists.
    static let messagePaths = #"""
            "/v1/activity": {
              "get": {
                "operationId": "activity",
                "tags": ["messages"],
                "summary": "What an address sent and received.",
                "description": "Newest first. A page that had to look at very many items that the filters leave out ends early: it can have fewer than `limit`, even none, and `has_more` all the same.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"name": "include", "in": "query", "description": "`transfers`: plain transfers too, from when some device began to watch the address.", "schema": {"type": "string", "pattern": "\#(transferNames)", "examples": ["transfers"]}},
                  {"name": "types", "in": "query", "description": "Kinds separated by commas; `transfer` is a plain transfer.", "schema": {"type": "string", "pattern": "\#(typeNames)", "examples": ["payment,handshake"]}},
                  {"name": "direction", "in": "query", "description": "`in`, `out`, `self`, or several separated by commas.", "schema": {"type": "string", "pattern": "\#(directionNames)", "examples": ["in"]}},
                  {"name": "status", "in": "query", "description": "`pending`, `accepted`, `confirmed`, `reverted`, or several separated by commas.", "schema": {"type": "string", "pattern": "\#(statusNames)", "examples": ["accepted,confirmed"]}},
                  {"name": "counterparty", "in": "query", "description": "Only what has this address at the other end; empty is any.", "schema": {"$ref": "#/components/schemas/AddressOrEmpty"}},
                  {"name": "since", "in": "query", "description": "The least block time, milliseconds.", "schema": {"$ref": "#/components/schemas/Milliseconds", "default": 0}},
                  {"name": "until", "in": "query", "description": "The greatest block time, milliseconds.", "schema": {"$ref": "#/components/schemas/Milliseconds"}},
                  {"name": "limit", "in": "query", "description": "More than 100 are 100.", "schema": {"type": "integer", "minimum": 1, "default": 50}},
                  {"name": "cursor", "in": "query", "description": "`next_cursor` of the page before.", "schema": {"$ref": "#/components/schemas/Cursor"}}
                ],
                "responses": {
                  "200": {
                    "description": "A page.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ActivityPage"}}}
                  },
        \#(refusals(400, 429, 500, 503))
                }
              }
            },
            "/v1/activity/stream": {
              "get": {
                "operationId": "activityStream",
                "tags": ["messages"],
                "summary": "What happens to an address, live.",
                "description": "Server-sent events, each with an id: `activity` (data: an ActivityItem as it stands by now) for each new item and each change of its status, `removed` (data: `{\"id\"}`) when the address turns out to have no part in it, or nobody has vouched for it in a day, `reset` when the stream cannot go on from `Last-Event-ID`: page through the activity again. The first event of a stream without `Last-Event-ID` has an id alone: page through the activity once it is there, and nothing is missed between. A comment every 15 seconds is the heartbeat. A reader that is too slow is closed, and loses nothing when it comes back with `Last-Event-ID`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"name": "include", "in": "query", "description": "`transfers`: plain transfers too.", "schema": {"type": "string", "pattern": "\#(transferNames)", "examples": ["transfers"]}},
                  {"name": "Last-Event-ID", "in": "header", "description": "The id of the last event that was seen: everything since is told first.", "schema": {"$ref": "#/components/schemas/EventID"}},
                  {"name": "last_event_id", "in": "query", "description": "The same, for clients that cannot set the header, which wins.", "schema": {"$ref": "#/components/schemas/EventID"}}
                ],
                "responses": {
                  "200": {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
        \#(refusals(400, 429, 500)),
                  "503": {"$ref": "#/components/responses/StreamsTaken"}
                }
              }
            },
            "/v1/activity/refresh": {
              "post": {
                "operationId": "activityRefresh",
                "tags": ["messages"],
                "summary": "The present status of transactions.",
                "description": "For an app that comes to the foreground.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {
                    "type": "object",
                    "required": ["ids"],
                    "properties": {"ids": {"type": "array", "maxItems": 100, "items": {"$ref": "#/components/schemas/TransactionID"}}}
                  }}}
                },
                "responses": {
                  "200": {
                    "description": "One item for each id, in their order.",
                    "content": {"application/json": {"schema": {
                      "type": "object",
                      "required": ["items"],
                      "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/TransactionStatus"}}}
                    }}}
                  },
        \#(refusals(400, 408, 413, 415, 429, 500, 503))
                }
              }
            },
            "/v1/messages/{tx_id}": {
              "get": {
                "operationId": "message",
                "tags": ["messages"],
                "summary": "One operation of any kind, for an app that was pushed its transaction id.",
                "parameters": [
                  {
                    "name": "tx_id",
                    "in": "path",
                    "required": true,
                    "schema": {"$ref": "#/components/schemas/TransactionID"}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "The members of its kind's items, and `kind`; no `cursor`.",
                    "content": {
                      "application/json": {"schema": {"$ref": "#/components/schemas/Message"}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "404": {
                    "description": "No operation of this transaction is known.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
        \#(refusals(429, 500, 503))
                }
              }
            },
        """#
}
