extension OpenAPIDocument {
    /// What registrations send and get.
    static let registrationSchemas = #"""
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
                    "description": "The shape of the notifications. If it is absent: `kachat` for a request with a member that only KaChat sends, or signed under its domain; else the operator's default.",
                    "enum": ["kasia", "kachat", null]
                  },
                  "apns_environment": {
                    "description": "Which of Apple's hosts `device_token` and `voip_token` are good at: `development` for builds from Xcode. If it is absent, what is known stays; for a device that never said, the host that Apple's answers show is taken. Not signed.",
                    "enum": ["development", "production", null]
                  },
                  "voip_token": {
                    "description": "PushKit's token, for ringing; null or absent: the device cannot be rung. Not signed.",
                    "oneOf": [{"$ref": "#/components/schemas/DeviceToken"}, {"type": "null"}]
                  },
                  "watched_broadcast_channels": {
                    "type": ["array", "null"],
                    "description": "Channels whose broadcasts are notified, at most 30 an hour, if the operator lists them, too. Trimmed and lower-cased; 1 to 36 characters without white space or colons. Not signed.",
                    "maxItems": 64,
                    "items": {"type": "string"},
                    "examples": [["kaspa"]]
                  },
                  "hidden_broadcast_senders": {
                    "type": ["object", "null"],
                    "description": "By channel, addresses whose broadcasts are not notified; at most 500 in all. Not signed.",
                    "maxProperties": 64,
                    "additionalProperties": {"type": "array", "items": {"$ref": "#/components/schemas/Address"}}
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
              "RingRequest": {
                "type": "object",
                "required": ["device_token", "to_address", "call_id", "kind", "auth"],
                "properties": {
                  "device_token": {"$ref": "#/components/schemas/DeviceToken"},
                  "to_address": {"$ref": "#/components/schemas/Address"},
                  "call_id": {
                    "type": "string",
                    "description": "A UUID in lower case.",
                    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
                  },
                  "kind": {"enum": ["invite", "request"]},
                  "video": {"type": "boolean", "default": false},
                  "payload": {
                    "type": ["string", "null"],
                    "description": "Sealed between the two phones: at most 2 KB, in hex.",
                    "pattern": "^(?:[0-9A-Fa-f]{2})*$",
                    "maxLength": 4096
                  },
                  "timestamp": {"description": "Not looked at: the push has the server's time."},
                  "auth": {"$ref": "#/components/schemas/Signatures"}
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
                  "counter": {"type": "integer", "description": "Greater than at the key's last use for this token.", "minimum": 1},
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
                          "description": "What the push was about. `address_activity`: a plain transfer to an address of `watch_only_addresses`. `payment_reverted`: a payment that was pushed is no longer accepted, only where the operator sets `push.retractions`.",
                          "enum": ["contextual_message", "payment", "handshake", "group_message", "group_control", "address_activity", "payment_reverted"]
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
        """#
}
