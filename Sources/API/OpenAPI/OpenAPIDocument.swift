/// The description of the REST API that `GET /openapi.json` serves (http-api.md).
package enum OpenAPIDocument {
    /// An OpenAPI 3.1 document as JSON text.
    ///
    /// It is written out, not generated, so that a reader compares it with http-api.md line by line.
    package static let json = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "Kasia push indexer",
            "version": "1.0.0",
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": "Registers devices for push notifications of Kasia messages on the Kaspa network. Requests and answers are JSON in UTF-8; unknown members are ignored. Every error is an object with one sentence in `error`. A path that does not exist answers 404, a method that a path does not have 405 with `Allow`; HEAD goes wherever GET does. CORS is open for GET. Every answer has a header `x-request-id`: the request's own if that is 1 to 40 of `A-Z a-z 0-9 . _ -`, else a new one; the service's log names it."
          },
          "servers": [{"url": "/"}],
          "tags": [
            {"name": "registration", "description": "Which device is notified of what."},
            {"name": "messages", "description": "What the app fetches."},
            {"name": "operations", "description": "For whoever runs the service."}
          ],
          "paths": {
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
                  "200": {"$ref": "#/components/responses/Changed"},
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
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
                  "200": {"$ref": "#/components/responses/Changed"},
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
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
                  "200": {"$ref": "#/components/responses/Changed"},
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
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
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
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
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
                }
              }
            },
            "/v1/push/status": {
              "get": {
                "operationId": "status",
                "tags": ["registration"],
                "summary": "Says whether a device is registered, and what it watches.",
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
                              "last_seen": 1704067200
                            }
                          },
                          "unknown": {"value": {"registered": false, "watched_addresses": [], "last_seen": null}}
                        }
                      }
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              },
              "post": {
                "operationId": "statusByPost",
                "tags": ["registration"],
                "summary": "The same with a signature, as auth mode strict requires.",
                "description": "In strict mode only the wallet that the token is bound to is answered. In the other modes `auth` may be absent. Signs empty lists.",
                "requestBody": {
                  "required": true,
                  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UnregisterRequest"}}}
                },
                "responses": {
                  "200": {
                    "description": "The registration, or that there is none.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RegistrationStatus"}}}
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
                }
              }
            },
            "/v1/push/challenge": {
              "post": {
                "operationId": "challenge",
                "tags": ["registration"],
                "summary": "Gives a nonce for one signed request.",
                "description": "It is good for 60 seconds and for one request whose signatures hold. At most 50,000 are outstanding; the oldest go first.",
                "responses": {
                  "200": {
                    "description": "The nonce.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Challenge"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              },
              "get": {
                "operationId": "challengeByGet",
                "tags": ["registration"],
                "summary": "Gives a nonce for one signed request.",
                "description": "It is good for 60 seconds and for one request whose signatures hold. At most 50,000 are outstanding; the oldest go first.",
                "responses": {
                  "200": {
                    "description": "The nonce.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Challenge"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
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
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
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
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "401": {"$ref": "#/components/responses/Unauthorized"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
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
                    "schema": {"type": "integer", "minimum": 0, "default": 0}
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
                            }
                          ],
                          "latest_seq": 17,
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
                        "example": {"error": "the device_token is not registered"}
                      }
                    }
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              },
              "post": {
                "operationId": "missedByPost",
                "tags": ["registration"],
                "summary": "The same with a signature, as auth mode strict requires.",
                "description": "In strict mode only the wallet that the token is bound to is answered. In the other modes `auth` may be absent. Signs empty lists.",
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
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "429": {"$ref": "#/components/responses/TooMany"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
                }
              }
            },
            "/handshakes/by-sender": {
              "get": {
                "operationId": "handshakesBySender",
                "tags": ["messages"],
                "summary": "Handshakes that an address sent.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Handshake"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/handshakes/by-receiver": {
              "get": {
                "operationId": "handshakesByReceiver",
                "tags": ["messages"],
                "summary": "Handshakes that an address received, those not accepted yet among them.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Handshake"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/payments/by-sender": {
              "get": {
                "operationId": "paymentsBySender",
                "tags": ["messages"],
                "summary": "Payments that an address sent.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Payment"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/payments/by-receiver": {
              "get": {
                "operationId": "paymentsByReceiver",
                "tags": ["messages"],
                "summary": "Payments that an address received, those not accepted yet among them.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Payment"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/contextual-messages/by-sender": {
              "get": {
                "operationId": "contextualMessagesBySender",
                "tags": ["messages"],
                "summary": "Messages that an address wrote; with an alias, those of one conversation.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"$ref": "#/components/parameters/Alias"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/ContextualMessage"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/self-stash/by-owner": {
              "get": {
                "operationId": "selfStashByOwner",
                "tags": ["messages"],
                "summary": "Notes of an address to itself.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Owner"},
                  {"$ref": "#/components/parameters/Scope"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/SelfStash"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/group-messages/by-blinded-group-id": {
              "get": {
                "operationId": "groupMessages",
                "tags": ["messages"],
                "summary": "Messages of a group.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/BlindedGroupID"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/GroupMessage"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/group-control/by-sender": {
              "get": {
                "operationId": "groupControlBySender",
                "tags": ["messages"],
                "summary": "Group control that an address sent.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/GroupControl"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/group-control/by-recipient": {
              "get": {
                "operationId": "groupControlByRecipient",
                "tags": ["messages"],
                "summary": "Group control addressed to the key of an address.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/GroupControl"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/broadcasts/by-channel": {
              "get": {
                "operationId": "broadcastsByChannel",
                "tags": ["messages"],
                "summary": "Public messages of a channel.",
                "description": "Oldest first, from `block_time` on or after `cursor`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Channel"},
                  {"$ref": "#/components/parameters/BlockTime"},
                  {"$ref": "#/components/parameters/Limit"},
                  {"$ref": "#/components/parameters/Cursor"}
                ],
                "responses": {
                  "200": {
                    "description": "The next items; empty at the end.",
                    "content": {
                      "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Broadcast"}}}
                    }
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/v1/activity": {
              "get": {
                "operationId": "activity",
                "tags": ["messages"],
                "summary": "What an address sent and received.",
                "description": "Newest first. A page that had to look at very many items that the filters leave out ends early: it can have fewer than `limit`, even none, and `has_more` all the same.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"name": "include", "in": "query", "description": "`transfers`: plain transfers too, from when some device began to watch the address.", "schema": {"type": "string", "enum": ["transfers"]}},
                  {"name": "types", "in": "query", "description": "Kinds separated by commas; `transfer` is a plain transfer.", "schema": {"type": "string", "examples": ["payment,handshake"]}},
                  {"name": "direction", "in": "query", "description": "`in`, `out`, `self`, or several separated by commas.", "schema": {"type": "string", "examples": ["in"]}},
                  {"name": "status", "in": "query", "description": "`pending`, `accepted`, `confirmed`, `reverted`, or several separated by commas.", "schema": {"type": "string", "examples": ["accepted,confirmed"]}},
                  {"name": "counterparty", "in": "query", "description": "Only what has this address at the other end.", "schema": {"type": "string", "maxLength": 128}},
                  {"name": "since", "in": "query", "description": "The least block time, milliseconds.", "schema": {"type": "integer", "minimum": 0, "default": 0}},
                  {"name": "until", "in": "query", "description": "The greatest block time, milliseconds.", "schema": {"type": "integer", "minimum": 0}},
                  {"name": "limit", "in": "query", "description": "More than 100 are 100.", "schema": {"type": "integer", "minimum": 1, "default": 50}},
                  {"name": "cursor", "in": "query", "description": "`next_cursor` of the page before.", "schema": {"type": "string", "minLength": 80, "maxLength": 80}}
                ],
                "responses": {
                  "200": {
                    "description": "A page.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ActivityPage"}}}
                  },
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/v1/activity/stream": {
              "get": {
                "operationId": "activityStream",
                "tags": ["messages"],
                "summary": "What happens to an address, live.",
                "description": "Server-sent events, each with an id: `activity` (data: an ActivityItem as it stands by now) for each new item and each change of its status, `removed` (data: `{\"id\"}`) when the address turns out to have no part in it, `reset` when the stream cannot go on from `Last-Event-ID`: page through the activity again. The first event of a stream without `Last-Event-ID` has an id alone. A comment every 15 seconds is the heartbeat. A reader that is too slow is closed, and loses nothing when it comes back with `Last-Event-ID`.",
                "parameters": [
                  {"$ref": "#/components/parameters/Address"},
                  {"name": "include", "in": "query", "description": "`transfers`: plain transfers too.", "schema": {"type": "string", "enum": ["transfers"]}},
                  {"name": "Last-Event-ID", "in": "header", "description": "The id of the last event that was seen: everything since is told first.", "schema": {"type": "string"}},
                  {"name": "last_event_id", "in": "query", "description": "The same, for clients that cannot set the header, which wins.", "schema": {"type": "string"}}
                ],
                "responses": {
                  "200": {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"},
                  "503": {"$ref": "#/components/responses/Unavailable"}
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
                  "400": {"$ref": "#/components/responses/Invalid"},
                  "408": {"$ref": "#/components/responses/TooSlow"},
                  "413": {"$ref": "#/components/responses/TooLarge"},
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "415": {"$ref": "#/components/responses/NotJSON"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
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
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "500": {"$ref": "#/components/responses/Failed"}
                }
              }
            },
            "/": {
              "get": {
                "operationId": "statusPage",
                "tags": ["operations"],
                "summary": "The status page: how the service is, at a glance.",
                "responses": {
                  "200": {
                    "description": "A page without anything from elsewhere; it reads `status/stream`.",
                    "content": {"text/html; charset=utf-8": {"schema": {"type": "string"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              }
            },
            "/status.json": {
              "get": {
                "operationId": "statusSnapshot",
                "tags": ["operations"],
                "summary": "What the status page shows, with the samples of the last hour.",
                "description": "Names no device, no address and no transaction.",
                "responses": {
                  "200": {
                    "description": "The status now.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ServiceStatus"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              }
            },
            "/status/stream": {
              "get": {
                "operationId": "statusStream",
                "tags": ["operations"],
                "summary": "The same as server-sent events.",
                "description": "First `history` (the member of that name of `/status.json`), then each second `status` (the other members), and every ten seconds `sample`: one value for each column of the history. At most 8 streams are open.",
                "responses": {
                  "200": {
                    "description": "Events until the client leaves or the service stops.",
                    "content": {"text/event-stream": {"schema": {"type": "string"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "503": {
                    "description": "All streams are taken.",
                    "headers": {
                      "Retry-After": {
                        "description": "Seconds to wait.",
                        "required": true,
                        "schema": {"type": "integer", "minimum": 1}
                      }
                    },
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                  }
                }
              }
            },
            "/docs": {
              "get": {
                "operationId": "documentationPage",
                "tags": ["operations"],
                "summary": "This document as a page.",
                "responses": {
                  "200": {
                    "description": "A page without anything from elsewhere; it reads `openapi.json`.",
                    "content": {"text/html; charset=utf-8": {"schema": {"type": "string"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              }
            },
            "/health": {
              "get": {
                "operationId": "health",
                "tags": ["operations"],
                "summary": "Answers while the process runs.",
                "responses": {
                  "200": {
                    "description": "The process runs.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Done"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              }
            },
            "/ready": {
              "get": {
                "operationId": "ready",
                "tags": ["operations"],
                "summary": "Says whether the service does its work, part by part.",
                "description": "Ready when the node is followed, the store writes and Apple has not refused the credentials. APNs without configuration is `not configured`, which is ready.",
                "responses": {
                  "200": {
                    "description": "Every part is ready.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"},
                  "503": {
                    "description": "At least one part is not ready; the body names it.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}}}
                  }
                }
              }
            },
            "/metrics": {
              "get": {
                "operationId": "metrics",
                "tags": ["operations"],
                "summary": "All metrics as one JSON object, keyed by name without `kasia_`.",
                "responses": {
                  "200": {
                    "description": "The metrics now.",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Metrics"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              }
            },
            "/metrics/prometheus": {
              "get": {
                "operationId": "prometheusMetrics",
                "tags": ["operations"],
                "summary": "All metrics in Prometheus' text format 0.0.4.",
                "responses": {
                  "200": {
                    "description": "The metrics now.",
                    "content": {"text/plain; version=0.0.4; charset=utf-8": {"schema": {"type": "string"}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              }
            },
            "/openapi.json": {
              "get": {
                "operationId": "openAPI",
                "tags": ["operations"],
                "summary": "This document.",
                "responses": {
                  "200": {
                    "description": "This document.",
                    "content": {"application/json": {"schema": {"type": "object", "additionalProperties": true}}}
                  },
                  "414": {"$ref": "#/components/responses/TargetTooLong"},
                  "431": {"$ref": "#/components/responses/HeadersTooLarge"}
                }
              }
            }
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
              "Failed": {
                "description": "The service failed; the reason is in its log.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              }
            },
            "schemas": {
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
                  "counterparty": {"type": ["string", "null"], "description": "The address at the other end; null when there is none, or it is not known."},
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
              "TransactionID": {"type": "string", "pattern": "^[0-9A-Fa-f]{64}$"},
              "HexBytes": {"type": "string", "pattern": "^([0-9A-Fa-f]{2})*$"},
              "AddressOrEmpty": {"type": "string", "description": "An address; empty while it is not known."},
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
                  "alias": {"$ref": "#/components/schemas/HexBytes"},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "message_payload": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "alias", "block_time", "accepting_block", "accepting_daa_score", "message_payload"]
              },
              "SelfStash": {
                "type": "object",
                "properties": {
                  "tx_id": {"$ref": "#/components/schemas/TransactionID"},
                  "owner": {"$ref": "#/components/schemas/AddressOrEmpty"},
                  "scope": {"anyOf": [{"$ref": "#/components/schemas/HexBytes"}, {"type": "null"}]},
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
                  "recipient": {"anyOf": [{"$ref": "#/components/schemas/HexBytes"}, {"type": "null"}], "description": "The x-only key; null for all."},
                  "block_time": {"type": "integer", "minimum": 0},
                  "accepting_block": {"anyOf": [{"$ref": "#/components/schemas/TransactionID"}, {"type": "null"}]},
                  "accepting_daa_score": {"type": ["integer", "null"], "minimum": 0},
                  "message_payload": {"$ref": "#/components/schemas/HexBytes"},
                  "cursor": {"type": "string", "description": "Of this place; absent in an operation asked for by itself."}
                },
                "required": ["tx_id", "sender", "recipient", "block_time", "accepting_block", "accepting_daa_score", "message_payload"]
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
              "DeviceToken": {
                "type": "string",
                "description": "Apple's device token: an even number of hex digits, 64 to 512. Spaces, `<`, `>`, `-` and `:` are dropped; case does not matter.",
                "pattern": "^[ <>:-]*(?:[0-9A-Fa-f][ <>:-]*[0-9A-Fa-f][ <>:-]*){32,256}$",
                "examples": ["00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"]
              },
              "Platform": {
                "type": "string",
                "description": "`ios` or `macos`, in any case.",
                "pattern": "^(?:[iI][oO][sS]|[mM][aA][cC][oO][sS])$",
                "examples": ["ios", "macos"]
              },
              "Address": {
                "type": "string",
                "description": "A Kaspa address of the network that the service follows.",
                "maxLength": 128,
                "examples": ["kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"]
              },
              "Watch": {
                "type": "object",
                "description": "What a device is notified of. An empty `watched_addresses` with no group ids and no primary address is refused. One bad entry refuses the whole request.",
                "required": ["device_token", "watched_addresses"],
                "properties": {
                  "device_token": {"$ref": "#/components/schemas/DeviceToken"},
                  "watched_addresses": {
                    "type": "array",
                    "description": "Addresses whose messages are notified: the device's own and its contacts'. Normalised and de-duplicated.",
                    "maxItems": 256,
                    "items": {"$ref": "#/components/schemas/Address"}
                  },
                  "primary_address": {
                    "description": "The device's own address, to which payments and handshakes go.",
                    "oneOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}]
                  },
                  "aliases": {
                    "type": ["array", "null"],
                    "description": "If there are any, only contextual messages under one of these aliases are notified; each at most 64 bytes.",
                    "maxItems": 256,
                    "items": {"type": "string", "maxLength": 64}
                  },
                  "watched_group_ids": {
                    "type": ["array", "null"],
                    "description": "Blinded group ids.",
                    "maxItems": 256,
                    "items": {"type": "string", "pattern": "^[0-9A-Fa-f]{64}$"}
                  },
                  "watch_only_addresses": {
                    "type": ["array", "null"],
                    "description": "Own addresses: a plain transfer that credits one of them is notified as `address_activity`, once for a transaction, at most 30 times an hour. Not signed. They do not replace `watched_addresses` or `primary_address`.",
                    "maxItems": 200,
                    "items": {"$ref": "#/components/schemas/Address"}
                  },
                  "capabilities": {
                    "type": ["array", "null"],
                    "description": "What the app understands.",
                    "maxItems": 32,
                    "items": {"type": "string", "pattern": "^[a-z0-9_.-]{1,64}$"},
                    "examples": [["group_v1"]]
                  },
                  "payload_format": {
                    "description": "The shape of the notifications; the operator's default if it is absent.",
                    "enum": ["kasia", "kachat", null]
                  },
                  "auth": {"$ref": "#/components/schemas/Auth"}
                }
              },
              "RegisterRequest": {
                "allOf": [{"$ref": "#/components/schemas/Watch"}],
                "type": "object",
                "required": ["platform"],
                "properties": {"platform": {"$ref": "#/components/schemas/Platform"}}
              },
              "UpdateRequest": {"$ref": "#/components/schemas/Watch"},
              "UnregisterRequest": {
                "type": "object",
                "required": ["device_token"],
                "properties": {
                  "device_token": {"$ref": "#/components/schemas/DeviceToken"},
                  "auth": {"$ref": "#/components/schemas/Auth"}
                }
              },
              "MissedRequest": {
                "type": "object",
                "required": ["device_token"],
                "properties": {
                  "device_token": {"$ref": "#/components/schemas/DeviceToken"},
                  "after": {
                    "type": ["integer", "null"],
                    "description": "The last `seq` that the app has; without it, all that is kept.",
                    "minimum": 0
                  },
                  "limit": {"type": ["integer", "null"], "description": "A number above 100 is 100.", "minimum": 1},
                  "auth": {"$ref": "#/components/schemas/Auth"}
                }
              },
              "Auth": {
                "description": "Signatures by the wallet's key and, optionally, by a device key. Members that are not listed are ignored.",
                "oneOf": [{"$ref": "#/components/schemas/Signatures"}, {"type": "null"}]
              },
              "Signatures": {
                "type": "object",
                "required": ["wallet_pubkey", "wallet_address", "nonce", "timestamp_ms", "expires_at_ms", "signature"],
                "properties": {
                  "auth_version": {
                    "description": "1 if it is absent. Capabilities need 2; in version 1 `watched_group_ids`, even empty, imply `group_v1`.",
                    "enum": [1, 2, null]
                  },
                  "wallet_pubkey": {"type": "string", "description": "x-only.", "pattern": "^[0-9A-Fa-f]{64}$"},
                  "wallet_address": {"$ref": "#/components/schemas/Address"},
                  "nonce": {"type": "string", "description": "Of a challenge.", "pattern": "^[0-9A-Fa-f]{32}$"},
                  "timestamp_ms": {"type": "integer", "description": "At most 60 seconds before `expires_at_ms`.", "minimum": 0},
                  "expires_at_ms": {"type": "integer", "description": "The challenge's.", "minimum": 0},
                  "signature": {"type": "string", "description": "BIP-340, over the SHA-256 of the signed lines.", "pattern": "^[0-9A-Fa-f]{128}$"},
                  "device_auth": {"oneOf": [{"$ref": "#/components/schemas/DeviceAuth"}, {"type": "null"}]}
                }
              },
              "DeviceAuth": {
                "type": "object",
                "required": ["scheme", "key_id", "pubkey", "counter", "signature"],
                "properties": {
                  "scheme": {"const": "device_key_v1"},
                  "key_id": {"type": "string", "description": "SHA-256 of the public key.", "pattern": "^[0-9A-Fa-f]{64}$"},
                  "pubkey": {"type": "string", "description": "P-256, 65 bytes, uncompressed, in base64 or base64url."},
                  "counter": {"type": "integer", "description": "Greater than at the key's last use.", "minimum": 1},
                  "signature": {"type": "string", "description": "ECDSA over SHA-256, DER or r and s, in base64 or base64url."}
                }
              },
              "Challenge": {
                "type": "object",
                "required": ["nonce", "issued_at_ms", "expires_at_ms"],
                "properties": {
                  "nonce": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                  "issued_at_ms": {"type": "integer", "description": "Milliseconds since 1970."},
                  "expires_at_ms": {"type": "integer", "description": "60 seconds later."}
                }
              },
              "WalletRequest": {
                "type": "object",
                "required": ["auth"],
                "properties": {"auth": {"$ref": "#/components/schemas/Signatures"}}
              },
              "WalletRemoved": {
                "type": "object",
                "required": ["status", "removed"],
                "properties": {
                  "status": {"const": "ok"},
                  "removed": {"type": "integer", "description": "How many devices there were.", "minimum": 0}
                }
              },
              "Devices": {
                "type": "object",
                "required": ["devices"],
                "properties": {
                  "devices": {
                    "type": "array",
                    "maxItems": 20,
                    "items": {
                      "type": "object",
                      "required": ["device_token_suffix", "platform", "created_at", "last_seen"],
                      "properties": {
                        "device_token_suffix": {"type": "string", "description": "The token's last 8 characters.", "pattern": "^[0-9a-f]{8}$"},
                        "platform": {"enum": ["ios", "macos"]},
                        "created_at": {"type": "integer", "description": "UNIX seconds."},
                        "last_seen": {"type": "integer", "description": "UNIX seconds."}
                      }
                    }
                  }
                }
              },
              "Done": {
                "type": "object",
                "required": ["status"],
                "properties": {"status": {"const": "ok"}}
              },
              "RegistrationStatus": {
                "type": "object",
                "required": ["registered", "watched_addresses", "last_seen"],
                "properties": {
                  "registered": {"type": "boolean"},
                  "watched_addresses": {
                    "type": "array",
                    "maxItems": 256,
                    "items": {"$ref": "#/components/schemas/Address"}
                  },
                  "last_seen": {
                    "type": ["integer", "null"],
                    "description": "When the device last registered or updated with success, in UNIX seconds; null if it is not registered."
                  }
                }
              },
              "Missed": {
                "type": "object",
                "required": ["items", "latest_seq", "oldest_seq"],
                "properties": {
                  "items": {
                    "type": "array",
                    "maxItems": 100,
                    "items": {
                      "type": "object",
                      "required": ["seq", "type", "tx_id", "sender", "timestamp"],
                      "properties": {
                        "seq": {"type": "integer", "minimum": 1},
                        "type": {
                          "enum": ["contextual_message", "payment", "handshake", "group_message", "group_control"]
                        },
                        "tx_id": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                        "sender": {"type": "string", "description": "Empty if it could not be resolved."},
                        "timestamp": {"type": "integer", "description": "The block's time in milliseconds."}
                      }
                    }
                  },
                  "latest_seq": {"type": "integer", "description": "The last number given out; 0 before the first."},
                  "oldest_seq": {"type": ["integer", "null"], "description": "The first that is still kept."}
                }
              },
              "Readiness": {
                "type": "object",
                "required": ["ready", "parts"],
                "properties": {
                  "ready": {"type": "boolean", "description": "Whether every part is."},
                  "parts": {"$ref": "#/components/schemas/ReadinessParts"}
                },
                "examples": [
                  {
                    "ready": true,
                    "parts": {
                      "node": {
                        "ready": true, "state": "ok",
                        "nodes": [{"url": "http://127.0.0.1:16110", "state": "followed", "reason": null}]
                      },
                      "chain": {"ready": true, "state": "ok"},
                      "store": {"ready": true, "state": "ok"},
                      "apns": {"ready": true, "state": "not configured"}
                    }
                  }
                ]
              },
              "ReadinessParts": {
                "type": "object",
                "description": "`node`, `chain`, `store` and `apns`.",
                "additionalProperties": {
                  "type": "object",
                  "required": ["ready", "state"],
                  "properties": {
                    "ready": {"type": "boolean"},
                    "state": {"type": "string", "description": "`ok`, `not configured`, what is wrong, or how a catch-up goes."},
                    "nodes": {
                      "type": "array",
                      "description": "Of the part `node`: the configured nodes in order of preference.",
                      "items": {
                        "type": "object",
                        "required": ["url", "state", "reason"],
                        "properties": {
                          "url": {"type": "string"},
                          "state": {"enum": ["untried", "followed", "standby", "left"]},
                          "reason": {"type": ["string", "null"], "description": "Why it is not followed."}
                        }
                      }
                    }
                  }
                }
              },
              "ServiceStatus": {
                "type": "object",
                "required": ["time", "started_at", "network", "ready", "parts", "node", "chain", "push", "devices", "store", "process", "events", "history"],
                "properties": {
                  "time": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."},
                  "started_at": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."},
                  "network": {"type": "string"},
                  "ready": {"type": "boolean", "description": "Whether every part is."},
                  "parts": {"$ref": "#/components/schemas/ReadinessParts"},
                  "node": {
                    "type": "object",
                    "required": ["connected_url", "reason", "version", "is_synced", "virtual_daa_score"],
                    "properties": {
                      "connected_url": {"type": ["string", "null"], "description": "The node that is followed."},
                      "reason": {"type": ["string", "null"], "description": "Why none is."},
                      "version": {"type": ["string", "null"]},
                      "is_synced": {"type": "boolean"},
                      "virtual_daa_score": {"type": ["integer", "null"], "minimum": 0}
                    }
                  },
                  "chain": {
                    "type": "object",
                    "required": ["block", "daa_score", "block_time", "lag_seconds", "daa_behind", "catching_up", "daa_per_second", "seconds_left", "waits_for_dispatcher", "blocks", "accepted", "reverted", "reorganizations", "gaps"],
                    "properties": {
                      "block": {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$", "description": "The last chain block applied."},
                      "daa_score": {"type": "integer", "minimum": 0},
                      "block_time": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970; 0 before the first."},
                      "lag_seconds": {"type": ["number", "null"], "minimum": 0, "description": "That block's age."},
                      "daa_behind": {"type": ["integer", "null"], "minimum": 0},
                      "catching_up": {"type": "boolean"},
                      "daa_per_second": {"type": ["number", "null"], "minimum": 0, "description": "Of a catch-up."},
                      "seconds_left": {"type": ["integer", "null"], "minimum": 0},
                      "waits_for_dispatcher": {"type": "boolean"},
                      "blocks": {"type": "number", "minimum": 0},
                      "accepted": {"type": "number", "minimum": 0},
                      "reverted": {"type": "number", "minimum": 0},
                      "reorganizations": {"type": "number", "minimum": 0},
                      "gaps": {"type": "number", "minimum": 0}
                    }
                  },
                  "push": {
                    "type": "object",
                    "required": ["per_second", "queued", "in_flight", "oldest_seconds", "dead_letters", "deliveries", "events"],
                    "properties": {
                      "per_second": {"type": ["number", "null"], "minimum": 0, "description": "Delivered, over the last minute."},
                      "queued": {"type": ["number", "null"], "minimum": 0},
                      "in_flight": {"type": ["number", "null"], "minimum": 0},
                      "oldest_seconds": {"type": ["number", "null"], "minimum": 0},
                      "dead_letters": {"type": ["number", "null"], "minimum": 0},
                      "deliveries": {"type": "array", "items": {
                        "type": "object",
                        "required": ["outcome", "reason", "count"],
                        "properties": {
                          "outcome": {"type": "string"},
                          "reason": {"type": "string"},
                          "count": {"type": "number", "minimum": 0}
                        }
                      }},
                      "events": {"type": "array", "items": {
                        "type": "object",
                        "required": ["kind", "count"],
                        "properties": {
                          "kind": {"type": "string"},
                          "count": {"type": "number", "minimum": 0}
                        }
                      }}
                    }
                  },
                  "devices": {
                    "type": "object",
                    "required": ["registered", "watch_entries"],
                    "properties": {
                      "registered": {"type": ["number", "null"], "minimum": 0},
                      "watch_entries": {"type": ["number", "null"], "minimum": 0}
                    }
                  },
                  "store": {
                    "type": "object",
                    "required": ["bytes", "free_bytes", "write_stalled", "families"],
                    "properties": {
                      "bytes": {"type": "number", "minimum": 0},
                      "free_bytes": {"type": ["number", "null"], "minimum": 0},
                      "write_stalled": {"type": "boolean"},
                      "families": {"type": "array", "items": {
                        "type": "object",
                        "required": ["column_family", "bytes"],
                        "properties": {
                          "column_family": {"type": "string"},
                          "bytes": {"type": "number", "minimum": 0}
                        }
                      }}
                    }
                  },
                  "process": {
                    "type": "object",
                    "required": ["resident_bytes", "open_files", "file_limit", "http_requests"],
                    "properties": {
                      "resident_bytes": {"type": ["number", "null"], "minimum": 0},
                      "open_files": {"type": ["number", "null"], "minimum": 0},
                      "file_limit": {"type": ["number", "null"], "minimum": 0},
                      "http_requests": {"type": "number", "minimum": 0}
                    }
                  },
                  "events": {
                    "type": "array",
                    "description": "The last warnings and errors of the log, one for each kind, the newest first.",
                    "maxItems": 50,
                    "items": {
                      "type": "object",
                      "required": ["time", "since", "count", "level", "label", "message", "metadata"],
                      "properties": {
                        "time": {"type": "integer", "minimum": 0, "description": "Of the last one."},
                        "since": {"type": "integer", "minimum": 0, "description": "Of the first one."},
                        "count": {"type": "integer", "minimum": 1},
                        "level": {"enum": ["warning", "error", "critical"]},
                        "label": {"type": "string"},
                        "message": {"type": "string"},
                        "metadata": {"type": "object", "additionalProperties": {"type": "string"}}
                      }
                    }
                  },
                  "history": {"$ref": "#/components/schemas/StatusHistory"}
                }
              },
              "StatusHistory": {
                "type": "object",
                "description": "Columns of equal length, oldest first; null where nothing was observed.",
                "required": ["interval_seconds", "time", "seconds", "delivered", "failed", "retried", "chain_to_wire_p50", "chain_to_wire_p99", "send_p50", "send_p99", "queue", "lag_seconds"],
                "properties": {
                  "interval_seconds": {"const": 10},
                  "time": {"type": "array", "maxItems": 360, "description": "The end of the stretch, milliseconds since 1970.", "items": {"type": "integer", "minimum": 0}},
                  "seconds": {"type": "array", "maxItems": 360, "description": "Its length.", "items": {"type": "number", "minimum": 0}},
                  "delivered": {"type": "array", "maxItems": 360, "items": {"type": "number", "minimum": 0}},
                  "failed": {"type": "array", "maxItems": 360, "description": "Dead and expired.", "items": {"type": "number", "minimum": 0}},
                  "retried": {"type": "array", "maxItems": 360, "items": {"type": "number", "minimum": 0}},
                  "chain_to_wire_p50": {"type": "array", "maxItems": 360, "description": "Seconds.", "items": {"type": ["number", "null"], "minimum": 0}},
                  "chain_to_wire_p99": {"type": "array", "maxItems": 360, "items": {"type": ["number", "null"], "minimum": 0}},
                  "send_p50": {"type": "array", "maxItems": 360, "items": {"type": ["number", "null"], "minimum": 0}},
                  "send_p99": {"type": "array", "maxItems": 360, "items": {"type": ["number", "null"], "minimum": 0}},
                  "queue": {"type": "array", "maxItems": 360, "description": "Queued and in flight, at its end.", "items": {"type": "number", "minimum": 0}},
                  "lag_seconds": {"type": "array", "maxItems": 360, "items": {"type": ["number", "null"], "minimum": 0}}
                }
              },
              "Metrics": {
                "type": "object",
                "additionalProperties": {
                  "description": "A number if the metric has no labels, a histogram, or an array with an entry for each combination of labels.",
                  "oneOf": [
                    {"type": ["number", "null"]},
                    {"$ref": "#/components/schemas/Histogram"},
                    {"type": "array", "items": {"$ref": "#/components/schemas/LabelledMetric"}}
                  ]
                }
              },
              "Histogram": {
                "type": "object",
                "required": ["count", "sum", "buckets"],
                "properties": {
                  "count": {"type": "integer", "minimum": 0},
                  "sum": {"type": ["number", "null"]},
                  "buckets": {
                    "type": "object",
                    "description": "Observations at most as large as the key.",
                    "additionalProperties": {"type": "integer", "minimum": 0}
                  }
                }
              },
              "LabelledMetric": {
                "type": "object",
                "description": "Has `value`, or for a histogram the members of Histogram.",
                "required": ["labels"],
                "properties": {
                  "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                  "value": {"type": ["number", "null"]}
                },
                "additionalProperties": true
              },
              "Error": {
                "type": "object",
                "required": ["error"],
                "properties": {"error": {"type": "string", "description": "One clear sentence."}}
              }
            }
          }
        }
        """#
}
