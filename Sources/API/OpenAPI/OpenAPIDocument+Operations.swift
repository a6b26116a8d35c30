extension OpenAPIDocument {
    /// Calls for whoever runs the service.
    static let operationPaths = #"""
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
        \#(refusals())
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
        \#(refusals())
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
        \#(refusals()),
                  "503": {"$ref": "#/components/responses/StreamsTaken"}
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
        \#(refusals())
                }
              }
            },
            "/guide": {
              "get": {
                "operationId": "guidePage",
                "tags": ["operations"],
                "summary": "The operator guide as a page.",
                "responses": {
                  "200": {
                    "description": "A page without anything from elsewhere.",
                    "content": {"text/html; charset=utf-8": {"schema": {"type": "string"}}}
                  },
        \#(refusals())
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
        \#(refusals())
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
        \#(refusals()),
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
        \#(refusals())
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
        \#(refusals())
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
        \#(refusals())
                }
              }
            }
        """#
}
