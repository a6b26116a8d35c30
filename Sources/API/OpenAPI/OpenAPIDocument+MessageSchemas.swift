extension OpenAPIDocument {
    /// What apps fetch.
    static let messageSchemas = #"""
              "ActivityType": {
                "type": "string",
                "enum": ["handshake", "payment", "contextual_message", "self_stash", "group_message", "group_control", "broadcast", "transfer"]
              },
              "ActivityItem": {
                "type": "object",
                "required": ["id", "type", "direction", "counterparty", "amount", "status", "confirmations", "block_time", "accepted_at", "explorer_url"],
                "properties": {
                  "id": {"$ref": "#/components/schemas/TransactionID"},
                  "type": {"$ref": "#/components/schemas/ActivityType"},
                  "direction": {"type": "string", "enum": ["in", "out", "self"], "description": "Seen from the address that was asked for."},
                  "counterparty": {"anyOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}], "description": "The address at the other end; null when there is none, or it is not known."},
                  "amount": {"type": "integer", "minimum": 0, "description": "Sompi that go to whom it is for; 0 for kinds that carry none."},
                  "status": {"type": "string", "enum": ["pending", "accepted", "confirmed", "reverted"], "description": "Seen in a block; accepted by the virtual chain; accepted, and the chain has grown by 100 since; taken out of the chain."},
                  "confirmations": {"type": ["integer", "null"], "minimum": 0, "description": "The chain's growth since the acceptance; null when not accepted."},
                  "block_time": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."},
                  "accepted_at": {"type": ["integer", "null"], "minimum": 0, "description": "The accepting block's time, milliseconds since 1970; null when not accepted, or not known."},
                  "explorer_url": {"type": ["string", "null"], "description": "A page about the transaction; null where there is no explorer."}
                }
              },
              "ActivityPage": {
                "type": "object",
                "required": ["items", "has_more", "next_cursor"],
                "properties": {
                  "items": {"type": "array", "maxItems": 100, "items": {"$ref": "#/components/schemas/ActivityItem"}},
                  "has_more": {"type": "boolean"},
                  "next_cursor": {"type": ["string", "null"], "description": "For the next page; null on the last."}
                }
              },
              "TransactionStatus": {
                "type": "object",
                "required": ["id", "type", "status", "confirmations", "block_time", "accepted_at"],
                "properties": {
                  "id": {"$ref": "#/components/schemas/TransactionID"},
                  "type": {"oneOf": [{"$ref": "#/components/schemas/ActivityType"}, {"type": "null"}]},
                  "status": {"type": "string", "enum": ["pending", "accepted", "confirmed", "reverted", "unknown"]},
                  "confirmations": {"type": ["integer", "null"], "minimum": 0},
                  "block_time": {"type": ["integer", "null"], "minimum": 0},
                  "accepted_at": {"type": ["integer", "null"], "minimum": 0}
                }
              },
              "TransactionID": {"type": "string", "pattern": "^[0-9A-Fa-f]{64}$", "examples": ["3f2504e04f8911d39a0c0305e82c33013f2504e04f8911d39a0c0305e82c3301"]},
              "HexBytes": {"type": "string", "pattern": "^(?:[0-9A-Fa-f]{2})*$"},
              "AddressOrEmpty": {"type": "string", "description": "An address; empty while it is not known.", "pattern": "^(?:\#(addressPattern))?$"},
              "Milliseconds": {"type": "integer", "description": "Milliseconds since 1970.", "minimum": 0, "maximum": \#(greatest)},
              "Cursor": {"type": "string", "description": "A place in a list, as an item has it; empty is the beginning.", "pattern": "^(?:[0-9A-Fa-f]{80})?$"},
              "EventID": {"type": "string", "description": "The id of an event as it came; empty is none.", "pattern": "^(?:0+-|0*[1-9][0-9]{0,19}-[0-9A-Fa-f]{8})?$", "examples": ["4711-3f2504e0"]},
              "Handshake": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "sender": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "receiver": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "message_payload": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "receiver", "block_time", "accepting_block", "accepting_daa_score", "message_payload"]
              },
              "Payment": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "sender": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "receiver": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "block_time": {"type": "integer", "minimum": 0},
                  "amount": {"type": "integer", "minimum": 0, "description": "Sompi."},
                  "message": {"$ref": "#/components/schemas/HexBytes"},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "receiver", "block_time", "amount", "message", "accepting_block", "accepting_daa_score"]
              },
              "ContextualMessage": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "sender": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "alias": {"$ref": "#/components/schemas/HexBytes", "description": "In hex, as the parameter `alias` takes it."},
                  "alias_text": {"type": ["string", "null"], "description": "The same as text, as `aliases` of a registration take it; null when it is no printable text."},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "message_payload": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "alias", "alias_text", "block_time", "accepting_block", "accepting_daa_score", "message_payload"]
              },
              "SelfStash": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "owner": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "scope": {"$ref": "#/components/schemas/HexBytes"},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "stashed_data": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "owner", "scope", "block_time", "accepting_block", "accepting_daa_score", "stashed_data"]
              },
              "GroupMessage": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "sender": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "blinded_group_id": {"$ref": "#/components/schemas/HexBytes"},
                  "epoch": {"type": "integer", "minimum": 0},
                  "sender_id": {"$ref": "#/components/schemas/HexBytes"},
                  "sender_pub": {"$ref": "#/components/schemas/HexBytes"},
                  "msg_id": {"$ref": "#/components/schemas/HexBytes"},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "message_payload": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "blinded_group_id", "epoch", "sender_id", "sender_pub", "msg_id", "block_time", "accepting_block", "accepting_daa_score", "message_payload"]
              },
              "GroupControl": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "sender": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "recipient": {"anyOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}], "description": "The address of the key that it is for; null when it names none."},
                  "recipient_key": {"anyOf": [{"$ref": "#/components/schemas/HexBytes"}, {"type": "null"}], "description": "That x-only key."},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "message_payload": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "recipient", "recipient_key", "block_time", "accepting_block", "accepting_daa_score", "message_payload"]
              },
              "Broadcast": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "sender": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "channel": {"type": "string"},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "message_payload": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "channel", "block_time", "accepting_block", "accepting_daa_score", "message_payload"]
              },
              "GroupID": {"type": "string", "pattern": "^[0-9A-Fa-f]{64}$", "description": "A blinded group id.", "examples": ["91c2716cef3e35fd08bb763ca20ebeff91c2716cef3e35fd08bb763ca20ebeff"]},
              "BroadcastPage": {
                "type": "object",
                "required": ["messages", "hasMore"],
                "properties": {
                  "messages": {"type": "array", "items": {
                    "type": "object",
                    "required": ["txId", "channel", "senderAddress", "content", "blockTime"],
                    "properties": {
                      "txId": {"$ref": "#/components/schemas/TransactionID"},
                      "channel": {"type": "string", "description": "The name that was asked for, as names are compared."},
                      "senderAddress": {"$ref": "#/components/schemas/AddressOrEmpty"},
                      "content": {"type": "string", "description": "The text as it stands on chain; bytes that are not UTF-8 are replaced."},
                      "blockTime": {"type": "integer", "minimum": 0}
                    }
                  }},
                  "hasMore": {"type": "boolean"}
                }
              },
              "Message": {
                "type": "object",
                "properties": {
                  "kind": {
                    "enum": ["contextual_message", "payment", "handshake", "self_stash", "group_message", "group_control", "broadcast"]
                  }
                },
                "required": ["kind"],
                "anyOf": [{"$ref": "#/components/schemas/Handshake"}, {"$ref": "#/components/schemas/Payment"}, {"$ref": "#/components/schemas/ContextualMessage"}, {"$ref": "#/components/schemas/SelfStash"}, {"$ref": "#/components/schemas/GroupMessage"}, {"$ref": "#/components/schemas/GroupControl"}, {"$ref": "#/components/schemas/Broadcast"}]
              },
        """#
}
