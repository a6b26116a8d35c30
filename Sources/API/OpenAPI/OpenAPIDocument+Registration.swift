extension OpenAPIDocument {
    /// Calls about registrations.
    static let registrationPaths = #"""
            "/v1/push/register": {
              "post": {
                "operationId": "register",
                "tags": ["registration"],
                "summary": "Registers a device or replaces its registration.",
                "description": "A full upsert, idempotent. It is on disk before it is answered.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RegisterRequest"}}}
                },
                "responses": {
                  "200": {"$ref": "#/components/responses/Registered"},
        \#(refusalsOfChanges)
                }
              }
            },
            "/v1/push/update": {
              "put": {
                "operationId": "update",
                "tags": ["registration"],
                "summary": "Replaces the registration of a device.",
                "description": "Registers the device (platform ios) if it is unknown. POST does the same.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UpdateRequest"}}}
                },
                "responses": {
                  "200": {"$ref": "#/components/responses/Registered"},
        \#(refusalsOfChanges)
                }
              },
              "post": {
                "operationId": "updateByPost",
                "tags": ["registration"],
                "summary": "Replaces the registration of a device, for clients without PUT.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UpdateRequest"}}}
                },
                "responses": {
                  "200": {"$ref": "#/components/responses/Registered"},
        \#(refusalsOfChanges)
                }
              }
            },
            "/v1/push/unregister": {
              "delete": {
                "operationId": "unregister",
                "tags": ["registration"],
                "summary": "Forgets a device.",
                "description": "Answers 200 also when the device was not registered. POST does the same.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UnregisterRequest"}}}
                },
                "responses": {
                  "200": {"$ref": "#/components/responses/Changed"},
        \#(refusalsOfChanges)
                }
              },
              "post": {
                "operationId": "unregisterByPost",
                "tags": ["registration"],
                "summary": "Forgets a device, for clients that send no body with DELETE.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UnregisterRequest"}}}
                },
                "responses": {
                  "200": {"$ref": "#/components/responses/Changed"},
        \#(refusalsOfChanges)
                }
              }
            },
            "/v1/push/status": {
              "get": {
                "operationId": "status",
                "tags": ["registration"],
                "summary": "Says whether a device is registered, and what it watches.",
                "description": "For an app that checks its registration. Unsigned, a registration that is bound to a wallet tells `watched_addresses`, `last_seen` and `bound`; POST with `auth` of that wallet tells the rest.",
                "parameters": [
                  {
                    "name": "device_token",
                    "in": "query",
                    "required": true,
                    "schema": {"$ref": "#/components/schemas/DeviceToken"}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "The registration, or that there is none.",
                    "content": {
                      "application/json": {
                        "schema": {"$ref": "#/components/schemas/RegistrationStatus"},
                        "examples": {
                          "registered": {
                            "value": {
                              "registered": true,
                              "watched_addresses": ["kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"],
                              "last_seen": 1704067200,
                              "bound": false,
                              "platform": "ios",
                              "wallet_address": null,
                              "primary_address": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l",
                              "aliases": ["tea"],
                              "watched_group_ids": [],
                              "capabilities": [],
                              "watch_only_addresses": [],
                              "payload_format": "kasia",
                              "apns_environment": null,
                              "has_voip_token": false,
                              "watched_broadcast_channels": ["kaspa"],
                              "hidden_broadcast_senders": {}
                            }
                          },
                          "bound": {
                            "value": {
                              "registered": true,
                              "watched_addresses": ["kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"],
                              "last_seen": 1704067200,
                              "bound": true
                            }
                          },
                          "unknown": {"value": {"registered": false, "watched_addresses": [], "last_seen": null}}
                        }
                      }
                    }
                  },
        \#(refusals(400, 401, 500))
                }
              },
              "post": {
                "operationId": "statusByPost",
                "tags": ["registration"],
                "summary": "The same with a signature, as auth mode strict requires.",
                "description": "In strict mode only the wallet that the token is bound to is answered. In the other modes `auth` may be absent; without it a bound registration is told in part. Signs empty lists.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UnregisterRequest"}}}
                },
                "responses": {
                  "200": {
                    "description": "The registration, or that there is none.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RegistrationStatus"}}}
                  },
        \#(refusalsOfChanges)
                }
              }
            },
            "/v1/push/challenge": {
              "post": {
                "operationId": "challenge",
                "tags": ["registration"],
                "summary": "Gives a nonce for one signed request.",
                "description": "It is good for 60 seconds and for one request whose signatures hold.",
                "responses": {
                  "200": {
                    "description": "The nonce.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Challenge"}}}
                  },
        \#(refusals(400, 429, 500, 503))
                }
              },
              "get": {
                "operationId": "challengeByGet",
                "tags": ["registration"],
                "summary": "Gives a nonce for one signed request.",
                "description": "It is good for 60 seconds and for one request whose signatures hold.",
                "responses": {
                  "200": {
                    "description": "The nonce.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Challenge"}}}
                  },
        \#(refusals(400, 429, 500, 503))
                }
              }
            },
            "/v1/push/wallet": {
              "delete": {
                "operationId": "unregisterWallet",
                "tags": ["registration"],
                "summary": "Forgets every device of the wallet that signs: the sign-out of a lost phone.",
                "description": "Signs empty lists and no token: `device_token_hash` is the SHA-256 of nothing.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WalletRequest"}}}
                },
                "responses": {
                  "200": {
                    "description": "Done, and on disk.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WalletRemoved"}}}
                  },
        \#(refusalsOfChanges)
                }
              }
            },
            "/v1/push/devices": {
              "post": {
                "operationId": "devices",
                "tags": ["registration"],
                "summary": "Lists the devices of the wallet that signs, the one seen last first.",
                "description": "Signs empty lists and no token: `device_token_hash` is the SHA-256 of nothing.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WalletRequest"}}}
                },
                "responses": {
                  "200": {
                    "description": "The devices; at most 20.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Devices"}}}
                  },
        \#(refusalsOfChanges)
                }
              }
            },
            "/v1/push/ring": {
              "post": {
                "operationId": "ring",
                "tags": ["registration"],
                "summary": "Rings the phones of a wallet.",
                "description": "A VoIP push goes to each phone that the wallet `to_address` has bound with this address as `primary_address` and with a `voip_token`. It is tried once and never again. `auth` signs empty lists and, as primary address, the caller's wallet. A wallet may call six times a minute, and be called twenty times.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RingRequest"}}}
                },
                "responses": {
                  "200": {
                    "description": "The pushes are queued, or there is nobody to ring: the answer does not say which.",
                    "content": {"application/json": {"schema": {"type": "object", "maxProperties": 0}}}
                  },
                  "403": {
                    "description": "`device_token` is not bound to the wallet that signed.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
        \#(refusalsOfChanges)
                }
              }
            },
            "/v1/push/missed": {
              "get": {
                "operationId": "missed",
                "tags": ["registration"],
                "summary": "What the device was told after a number it knows; kept for 7 days, the newest 1000. The payload is fetched by transaction id.",
                "parameters": [
                  {
                    "name": "device_token",
                    "in": "query",
                    "required": true,
                    "schema": {"$ref": "#/components/schemas/DeviceToken"}
                  },
                  {
                    "name": "after",
                    "in": "query",
                    "description": "The last `seq` that the app has; without it, all that is kept.",
                    "schema": {"type": "integer", "minimum": 0, "maximum": \#(greatest), "default": 0}
                  },
                  {
                    "name": "limit",
                    "in": "query",
                    "description": "A number above 100 is 100.",
                    "schema": {"type": "integer", "minimum": 1, "default": 100}
                  }
                ],
                "responses": {
                  "200": {
                    "description": "In the order of `seq`.",
                    "content": {
                      "application/json": {
                        "schema": {"$ref": "#/components/schemas/Missed"},
                        "example": {
                          "items": [
                            {
                              "seq": 17,
                              "type": "contextual_message",
                              "tx_id": "3f2504e04f8911d39a0c0305e82c33013f2504e04f8911d39a0c0305e82c3301",
                              "sender": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l",
                              "timestamp": 1704067200000
                            },
                            {
                              "seq": 18,
                              "type": "address_activity",
                              "tx_id": "4a2504e04f8911d39a0c0305e82c33013f2504e04f8911d39a0c0305e82c3301",
                              "sender": "",
                              "timestamp": 1704067260000,
                              "amount": 125000000,
                              "address": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
                            }
                          ],
                          "latest_seq": 18,
                          "oldest_seq": 1
                        }
                      }
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "404": {
                    "description": "The token is not registered: register again; numbers start anew.",
                    "content": {
                      "application/json": {
                        "schema": {"$ref": "#/components/schemas/Error"},
                        "example": {"error": "the device_token is not registered", "code": "not_found"}
                      }
                    }
                  },
        \#(refusals(429, 500, 503))
                }
              },
              "post": {
                "operationId": "missedByPost",
                "tags": ["registration"],
                "summary": "The same with a signature, as auth mode strict requires.",
                "description": "In strict mode only the wallet that the token is bound to is answered. In the other modes `auth` may be absent; without it the items of a bound registration have no `address`, and `amount` only of payments. Signs empty lists.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/MissedRequest"}}}
                },
                "responses": {
                  "200": {
                    "description": "In the order of `seq`.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Missed"}}}
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "404": {
                    "description": "The token is not registered: register again; numbers start anew.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  },
        \#(refusals(408, 413, 415, 429, 500, 503))
                }
              }
            },
        """#
}
