extension OpenAPIDocument {
    /// What operators get, and errors.
    static let operationSchemas = #"""
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
                      "apns": {"ready": true, "state": "not configured"},
                      "clock": {"ready": true, "state": "ok"}
                    }
                  }
                ]
              },
              "ReadinessParts": {
                "type": "object",
                "description": "`node`, `chain`, `store`, `apns` and `clock`.",
                "additionalProperties": {
                  "type": "object",
                  "required": ["ready", "state"],
                  "properties": {
                    "ready": {"type": "boolean"},
                    "state": {"type": "string", "description": "`ok`, `not configured`, what is wrong, or how a catch-up goes."},
                    "guide": {"type": "string", "description": "Only in `/status.json`: where the operator guide helps, relative to that."},
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
                "required": ["time", "started_at", "network", "version", "ready", "summary", "parts", "node", "chain", "push", "devices", "store", "process", "events", "history"],
                "properties": {
                  "time": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."},
                  "started_at": {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."},
                  "network": {"type": "string"},
                  "version": {"type": "string", "description": "The program's version, with its revision and Swift's version."},
                  "ready": {"type": "boolean", "description": "Whether every part is."},
                  "summary": {
                    "type": "object",
                    "description": "How the service is, in a sentence.",
                    "required": ["level", "text", "guide"],
                    "properties": {
                      "level": {"enum": ["good", "warning", "bad"]},
                      "text": {"type": "string"},
                      "guide": {"type": ["string", "null"], "description": "Where the operator guide helps, relative to this."}
                    }
                  },
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
                      "required": ["time", "since", "count", "level", "label", "message", "metadata", "guide"],
                      "properties": {
                        "time": {"type": "integer", "minimum": 0, "description": "Of the last one."},
                        "since": {"type": "integer", "minimum": 0, "description": "Of the first one."},
                        "count": {"type": "integer", "minimum": 1},
                        "level": {"enum": ["warning", "error", "critical"]},
                        "label": {"type": "string"},
                        "message": {"type": "string"},
                        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
                        "guide": {"type": ["string", "null"], "description": "Where the operator guide helps, relative to this."}
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
                "required": ["error", "code"],
                "properties": {
                  "error": {"type": "string", "description": "One clear sentence."},
                  "code": {
                    "description": "What it is about, in a word that stays the same; the guide for app developers says what to do.",
                    "enum": [
                      "invalid_request", "auth_required", "wrong_signature", "fresh_nonce_needed", "wrong_time",
                      "bound_elsewhere", "stale_counter", "other_origin", "not_found", "method_not_allowed",
                      "too_slow", "too_large", "wrong_content_type", "wrong_host", "too_many_requests", "internal_error", "full",
                      "unavailable"
                    ]
                  },
                  "expected_text": {
                    "type": "string", "description": "With wrong_signature: the text that has to be signed."
                  }
                }
              }
            }
          }
        }
        """#
}
