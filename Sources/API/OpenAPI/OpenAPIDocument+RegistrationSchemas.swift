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
                "description": "A Kaspa address of the network that the service follows, in lower case or as a whole in upper case.",
                "pattern": "^\#(addressPattern)$",
                "maxLength": 128,
                "examples": ["kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"]
              },
              "AddressEntry": {
                "type": "string",
                "description": "An address. White space around it is dropped, and an empty text left out.",
                "pattern": "\#(trimmed(addressPattern))",
                "examples": ["kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"]
              },
              "Watch": {
                "type": "object",
                "description": "What a device is notified of. An empty `watched_addresses` with no group ids and no primary address is refused. One bad entry refuses the whole request.",
                "required": ["device_token", "watched_addresses"],
                "anyOf": [
                  {"properties": {"watched_addresses": {"contains": {"pattern": "\\S"}}}},
                  {"required": ["watched_group_ids"], "properties": {"watched_group_ids": {"type": "array", "contains": {"pattern": "\\S"}}}},
                  {"required": ["primary_address"], "properties": {"primary_address": {"type": "string", "pattern": "\\S"}}}
                ],
                "properties": {
                  "device_token": {"$ref": "#/components/schemas/DeviceToken"},
                  "watched_addresses": {
                    "type": "array",
                    "description": "Addresses whose messages are notified: the device's own and its contacts'. Normalised and de-duplicated.",
                    "maxItems": 256,
                    "items": {"$ref": "#/components/schemas/AddressEntry"}
                  },
                  "primary_address": {
                    "description": "The device's own address, to which payments and handshakes go.",
                    "oneOf": [{"$ref": "#/components/schemas/AddressEntry"}, {"type": "null"}]
                  },
                  "aliases": {
                    "type": ["array", "null"],
                    "description": "If there are any, only contextual messages under one of these aliases are notified; each at most 64 bytes. Each is the text that stands on chain, `alias_text` of a message; not `alias`, which is its hex.",
                    "maxItems": 256,
                    "items": {"type": "string", "maxLength": 64},
                    "examples": [["20f9260eb781"]]
                  },
                  "watched_group_ids": {
                    "type": ["array", "null"],
                    "description": "Blinded group ids. With a signature of version 2 they need `group_v1` among `capabilities`.",
                    "maxItems": 256,
                    "items": {"type": "string", "pattern": "\#(trimmed("[0-9A-Fa-f]{64}"))"}
                  },
                  "watch_only_addresses": {
                    "type": ["array", "null"],
                    "description": "Own addresses: a plain transfer that credits one of them is notified as `address_activity`, once for a transaction, at most 30 times an hour. Not signed. They do not replace `watched_addresses` or `primary_address`.",
                    "maxItems": 200,
                    "items": {"$ref": "#/components/schemas/AddressEntry"}
                  },
                  "capabilities": {
                    "type": ["array", "null"],
                    "description": "What the app understands.",
                    "maxItems": 32,
                    "items": {"type": "string", "pattern": "\#(trimmed("[A-Za-z0-9_.-]{1,64}"))"},
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
                    "oneOf": [{"$ref": "#/components/schemas/DeviceToken"}, {"const": ""}, {"type": "null"}]
                  },
                  "watched_broadcast_channels": {
                    "type": ["array", "null"],
                    "description": "Channels whose broadcasts are notified, at most 30 an hour, if the operator lists them, too. Trimmed and lower-cased; 1 to 36 characters without white space or colons. Not signed.",
                    "maxItems": 64,
                    "items": {"type": "string", "pattern": "\#(trimmed(channelPattern))"},
                    "examples": [["kaspa"]]
                  },
                  "hidden_broadcast_senders": {
                    "type": ["object", "null"],
                    "description": "By channel, addresses whose broadcasts are not notified; at most 500 in all. Not signed.",
                    "maxProperties": 64,
                    "propertyNames": {"pattern": "\#(surrounded(channelPattern))"},
                    "additionalProperties": {
                      "type": "array", "maxItems": 500,
                      "items": {"$ref": "#/components/schemas/AddressEntry", "pattern": "\#(surrounded(addressPattern))"}
                    }
                  },
                  "auth": {"$ref": "#/components/schemas/Auth"}
                },
                "examples": [
                  {
                    "device_token": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
                    "watched_addresses": ["kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"],
                    "primary_address": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
                  }
                ]
              },
              "RegisterRequest": {
                "allOf": [{"$ref": "#/components/schemas/Watch"}],
                "type": "object",
                "required": ["platform"],
                "properties": {"platform": {"$ref": "#/components/schemas/Platform"}},
                "examples": [
                  {
                    "device_token": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", "platform": "ios",
                    "watched_addresses": ["kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"],
                    "primary_address": "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
                  }
                ]
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
                  "to_address": {"$ref": "#/components/schemas/AddressEntry", "pattern": "\#(surrounded(addressPattern))"},
                  "call_id": {
                    "type": "string",
                    "description": "A UUID in lower case.",
                    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
                  },
                  "kind": {"enum": ["invite", "request"]},
                  "video": {"type": ["boolean", "null"], "default": false},
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
                    "minimum": 0, "maximum": \#(greatest)
                  },
                  "limit": {"type": ["integer", "null"], "description": "A number above 100 is 100.", "minimum": 1, "maximum": \#(greatest)},
                  "auth": {"$ref": "#/components/schemas/Auth"}
                }
              },
              "Auth": {
                "description": \#(JSONText.quoted(auth)),
                "oneOf": [{"$ref": "#/components/schemas/Signatures"}, {"type": "null"}]
              },
              "Signatures": {
                "type": "object",
                "description": "The signatures of `auth`; the text to sign is in the description of the schema `Auth`.",
                "required": ["wallet_pubkey", "wallet_address", "nonce", "timestamp_ms", "expires_at_ms", "signature"],
                "properties": {
                  "auth_version": {
                    "description": "1 if it is absent. Capabilities need 2; in version 1 `watched_group_ids`, even empty, imply `group_v1`.",
                    "enum": [1, 2, null]
                  },
                  "wallet_pubkey": {"type": "string", "description": "x-only.", "pattern": "^[0-9A-Fa-f]{64}$"},
                  "wallet_address": {"$ref": "#/components/schemas/AddressEntry", "pattern": "\#(surrounded(addressPattern))"},
                  "nonce": {"type": "string", "description": "Of a challenge.", "pattern": "^[0-9A-Fa-f]{32}$"},
                  "timestamp_ms": {"type": "integer", "description": "At most 60 seconds before `expires_at_ms`.", "minimum": 0, "maximum": \#(greatest)},
                  "expires_at_ms": {"type": "integer", "description": "The challenge's.", "minimum": 0, "maximum": \#(greatest)},
                  "signature": {"type": "string", "description": "BIP-340, over the SHA-256 of the signed lines.", "pattern": "^[0-9A-Fa-f]{128}$"},
                  "device_auth": {"oneOf": [{"$ref": "#/components/schemas/DeviceAuth"}, {"type": "null"}]}
                }
              },
              "DeviceAuth": {
                "type": "object",
                "description": \#(JSONText.quoted(deviceAuth)),
                "required": ["scheme", "key_id", "pubkey", "counter", "signature"],
                "properties": {
                  "scheme": {"const": "device_key_v1"},
                  "key_id": {"type": "string", "description": "SHA-256 of the public key.", "pattern": "^[0-9A-Fa-f]{64}$"},
                  "pubkey": {"type": "string", "description": "P-256, 65 bytes, uncompressed, in base64 or base64url.", "pattern": "^[A-Za-z0-9+/_-]{87}=?$"},
                  "counter": {"type": "integer", "description": "Greater than at the key's last use for this token.", "minimum": 1, "maximum": \#(greatest)},
                  "signature": {"type": "string", "description": "ECDSA over SHA-256, DER or r and s, in base64 or base64url.", "pattern": "\#(deviceSignaturePattern)"}
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
              "Registered": {
                "type": "object",
                "required": ["status"],
                "properties": {
                  "status": {"const": "ok"},
                  "warnings": {
                    "type": "array",
                    "description": "What is stored as it is and probably not meant so, a sentence each; absent if there is nothing.",
                    "minItems": 1,
                    "items": {"type": "string"}
                  }
                }
              },
              "RegistrationStatus": {
                "type": "object",
                "description": "What is registered, under the names of the registration. `bound` is there if the device is registered. All members after it are there if the registration is bound to no wallet, or if the call is signed by the wallet that it is bound to: absent does not mean empty.",
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
                  },
                  "bound": {"type": "boolean", "description": "Whether the registration is bound to a wallet: then only that wallet can change it."},
                  "platform": {"enum": ["ios", "macos"]},
                  "wallet_address": {
                    "description": "The wallet that the registration is bound to.",
                    "oneOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}]
                  },
                  "primary_address": {"oneOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}]},
                  "aliases": {"type": "array", "description": "As text, as they were registered.", "maxItems": 256, "items": {"type": "string"}},
                  "watched_group_ids": {"type": "array", "maxItems": 256, "items": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
                  "capabilities": {"type": "array", "maxItems": 32, "items": {"type": "string"}},
                  "watch_only_addresses": {"type": "array", "maxItems": 200, "items": {"$ref": "#/components/schemas/Address"}},
                  "payload_format": {"description": "null: the operator's default.", "enum": ["kasia", "kachat", null]},
                  "apns_environment": {
                    "description": "As the app said, or as Apple's answers have shown; null while it is not known.",
                    "enum": ["development", "production", null]
                  },
                  "has_voip_token": {"type": "boolean", "description": "Whether the device can be rung. The token itself is told to nobody."},
                  "watched_broadcast_channels": {"type": "array", "maxItems": 64, "items": {"type": "string"}},
                  "hidden_broadcast_senders": {
                    "type": "object",
                    "maxProperties": 64,
                    "additionalProperties": {"type": "array", "items": {"$ref": "#/components/schemas/Address"}}
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
                          "enum": ["contextual_message", "payment", "handshake", "group_message", "group_control", "broadcast", "address_activity", "payment_reverted"]
                        },
                        "tx_id": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                        "sender": {"type": "string", "description": "Empty if it could not be resolved."},
                        "timestamp": {"type": "integer", "description": "The block's time in milliseconds."},
                        "amount": {
                          "type": "integer",
                          "description": "Sompi. Of `payment` and `payment_reverted`: what was paid. Of `address_activity`: the sum that the addresses get that are in `watch_only_addresses` now. Left out when the service has forgotten the transaction; of `address_activity` also without `address`.",
                          "minimum": 0
                        },
                        "address": {
                          "description": "Of `address_activity`: the first of the addresses in `watch_only_addresses` now that is paid. Left out when none is, and of a registration that is bound to a wallet unless that wallet has signed the call.",
                          "$ref": "#/components/schemas/Address"
                        },
                        "blinded_group_id": {
                          "type": "string",
                          "description": "Of `group_message`, unless the service has forgotten the transaction.",
                          "pattern": "^[0-9a-f]{64}$"
                        },
                        "inbox": {
                          "description": "A message to an inbox tag, whose sender may be a stranger. Other items do not have this member.",
                          "const": true
                        }
                      }
                    }
                  },
                  "latest_seq": {"type": "integer", "description": "The last number given out; 0 before the first."},
                  "oldest_seq": {"type": ["integer", "null"], "description": "The first that is still kept."}
                }
              },
        """#
}
