extension OpenAPIDocument {
    /// Parameters and answers that calls share.
    static let components = #"""
          },
          "components": {
            "parameters": {
              "Address": {"name": "address", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Address"}},
              "Sender": {"name": "sender", "in": "query", "description": "Required, unless `address` is given.", "example": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l", "schema": {"$ref": "#/components/schemas/Address"}},
              "Recipient": {"name": "recipient", "in": "query", "description": "Required, unless `address` is given; not a script's address.", "example": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l", "schema": {"$ref": "#/components/schemas/Address"}},
              "OrAddress": {"name": "address", "in": "query", "description": "The same under another name, not looked at beside it.", "schema": {"$ref": "#/components/schemas/Address"}},
              "Owner": {"name": "owner", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Address"}},
              "Alias": {"name": "alias", "in": "query", "description": "The conversation's alias in hex, as `alias` of the rows has it; at most 64 bytes.", "schema": {"$ref": "#/components/schemas/HexBytes", "maxLength": 128}},
              "Scope": {"name": "scope", "in": "query", "description": "The scope in hex, at most 64 bytes; empty is none.", "schema": {"$ref": "#/components/schemas/HexBytes", "maxLength": 128}},
              "BlindedGroupID": {"name": "blinded_group_id", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/GroupID"}},
              "Channel": {"name": "channel", "in": "query", "required": true, "description": "The channel's name as it was written, or without white space at its ends and in lower case, which finds all spellings.", "schema": {"type": "string"}},
              "BlockTime": {"name": "block_time", "in": "query", "description": "Milliseconds since 1970, inclusive; a cursor goes before.", "schema": {"$ref": "#/components/schemas/Milliseconds", "default": 0}},
              "Limit": {"name": "limit", "in": "query", "description": "A number above 50 is 50.", "schema": {"type": "integer", "minimum": 1, "default": 10}},
              "Cursor": {"name": "cursor", "in": "query", "description": "The `cursor` of the last item seen. It skips and repeats nothing of what is in the list then, also among equal block times. What is seen later may have an earlier block time and is before the cursor: to hear of what is new, ask again from a `block_time` some minutes before the last one, or use `/v1/activity/stream`.", "schema": {"$ref": "#/components/schemas/Cursor"}}
            },
            "responses": {
              "Changed": {
                "description": "Done, and on disk.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Done"}}}
              },
              "Registered": {
                "description": "Done, and on disk.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Registered"}}}
              },
        \#(refusedAnswers)
            },
            "schemas": {
        """#

    /// The answers of refused requests, all with one sentence for the app's developer.
    private static let refusedAnswers = [
        refusal(
            "Invalid",
            "The request is malformed or invalid, or under `/v1/` has a query parameter that the call does not know; the sentence names what is wrong. Nothing was changed."
        ),
        refusal(
            "Unauthorized",
            "A signature is needed (group ids or capabilities came without `auth`, the token is bound to a wallet, or the service accepts signed requests only) or is not good: times, wallet address, signatures, nonce, binding and counter are checked in this order, and the sentence names the first that fails."
        ),
        refusal(
            "TooSlow",
            "The body took longer than 20 seconds."),
        refusal(
            "TargetTooLong",
            "The request's target is longer than 4096 bytes."),
        refusal(
            "HeadersTooLarge",
            "The headers are longer than 8192 bytes together."),
        refusal(
            "TooLarge",
            "The body is larger than 64 KiB, or 128 KiB in calls under `/v1/push/`."),
        refusal(
            "NotJSON",
            "The body's `content-type` is not `application/json`. Calls under `/v1/push/` refuse a body without one, too; the others take it for JSON."
        ),
        refusal(
            "TooMany", retriesAfter: true,
            "Too many calls from this address in a minute, or too much reading; challenges are counted for themselves."),
        refusal(
            "Unavailable", retriesAfter: true,
            "The disk is nearly full or fails, or there are as many devices, or as many new ones at the moment, as the service takes: nothing was acknowledged; or too many reads wait. Try again later."
        ),
        refusal(
            "StreamsTaken", retriesAfter: true,
            "All streams are taken, or all that one client address may have."),
        refusal(
            "Failed",
            "The service failed; the reason is in its log."),
    ].joined(separator: ",\n")

    /// One of them; `retriesAfter` says that it tells how long to wait.
    private static func refusal(_ name: String, retriesAfter: Bool = false, _ description: String) -> String {
        let headers = #"""

                            "headers": {
                              "Retry-After": {
                                "description": "Seconds to wait.",
                                "required": true,
                                "schema": {"type": "integer", "minimum": 1}
                              }
                            },
            """#
        return #"""
                          "\#(name)": {
                            "description": "\#(description)",\#(retriesAfter ? headers : "")
                            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                          }
            """#
    }
}
