extension OpenAPIDocument {
    /// Parameters and answers that calls share.
    static let components = #"""
          },
          "components": {
            "parameters": {
              "Address": {"name": "address", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Address"}},
              "Owner": {"name": "owner", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Address"}},
              "Alias": {"name": "alias", "in": "query", "description": "The bytes of the conversation's alias, at most 64.", "schema": {"$ref": "#/components/schemas/HexBytes"}},
              "Scope": {"name": "scope", "in": "query", "description": "The bytes of the scope, at most 64; empty is none.", "schema": {"$ref": "#/components/schemas/HexBytes"}},
              "BlindedGroupID": {"name": "blinded_group_id", "in": "query", "required": true, "schema": {"type": "string", "pattern": "^[0-9A-Fa-f]{64}$"}},
              "Channel": {"name": "channel", "in": "query", "required": true, "description": "The channel's name as it was written.", "schema": {"type": "string"}},
              "BlockTime": {"name": "block_time", "in": "query", "description": "Milliseconds since 1970, inclusive; a cursor goes before.", "schema": {"type": "integer", "minimum": 0, "default": 0}},
              "Limit": {"name": "limit", "in": "query", "description": "A number above 50 is 50.", "schema": {"type": "integer", "minimum": 1, "default": 10}},
              "Cursor": {"name": "cursor", "in": "query", "description": "The `cursor` of the last item seen; it never skips or repeats.", "schema": {"type": "string", "pattern": "^([0-9A-Fa-f]{80})?$"}}
            },
            "responses": {
              "Changed": {
                "description": "Done, and on disk.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Done"}}}
              },
              "Invalid": {
                "description": "The request is malformed or invalid; the sentence names the entry that is wrong. Nothing was changed.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "Unauthorized": {
                "description": "A signature is needed (group ids or capabilities came without `auth`, the token is bound to a wallet, or the service accepts signed requests only) or is not good: times, wallet address, signatures, nonce, binding and counter are checked in this order, and the sentence names the first that fails.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "TooSlow": {
                "description": "The body took longer than 20 seconds.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "TargetTooLong": {
                "description": "The request's target is longer than 4096 bytes.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "HeadersTooLarge": {
                "description": "The headers are longer than 8192 bytes together.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "TooLarge": {
                "description": "The body is larger than 64 KiB.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "NotJSON": {
                "description": "The body's `content-type` is not `application/json`.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "TooMany": {
                "description": "Too many calls from this address in a minute; challenges are counted for themselves.",
                "headers": {
                  "Retry-After": {
                    "description": "Seconds to wait.",
                    "required": true,
                    "schema": {"type": "integer", "minimum": 1}
                  }
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "Unavailable": {
                "description": "The disk is full or fails: nothing was acknowledged. Try again later.",
                "headers": {
                  "Retry-After": {
                    "description": "Seconds to wait.",
                    "required": true,
                    "schema": {"type": "integer", "minimum": 1}
                  }
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "StreamsTaken": {
                "description": "All streams are taken.",
                "headers": {
                  "Retry-After": {
                    "description": "Seconds to wait.",
                    "required": true,
                    "schema": {"type": "integer", "minimum": 1}
                  }
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "Failed": {
                "description": "The service failed; the reason is in its log.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              }
            },
            "schemas": {
        """#
}
