/// The description of the REST API that `GET /openapi.json` serves (http-api.md).
package enum OpenAPIDocument {
    /// An OpenAPI 3.1 document as JSON text.
    ///
    /// It is written out, so that a reader compares it with http-api.md line by line; only what stands in many calls,
    /// the refusals and the lists of operations, is put together.
    package static let json = [
        opening, registrationPaths, listPaths + appPaths + messagePaths, operationPaths, components, messageSchemas,
        registrationSchemas, operationSchemas,
    ].joined(separator: "\n")

    private static let opening = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "Kasia push indexer",
            "version": "1.0.0",
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": "Registers devices for push notifications of Kasia messages on the Kaspa network. Requests and answers are JSON in UTF-8; unknown members are ignored. A query parameter that a call under `/v1/` does not know is refused (400); other calls ignore it. Of a parameter that is given twice the first counts. Every error is an object with one sentence in `error` and a word in `code`. A path that does not exist answers 404, a method that a path does not have 405 with `Allow`; HEAD goes wherever GET does. Pages of other origins may ask what is read about the chain (tag `messages`), `/health`, `/docs` and this document, errors included: with `Content-Type`, `Accept` and `Last-Event-ID` as headers, and `x-request-id` and `retry-after` to be read; registrations and operators' calls are closed to them (403). A request for a host name that is not the server's answers 421, but for `/health`. Every answer has a header `x-request-id`: the request's own if that is 1 to 40 of `A-Z a-z 0-9 . _ -`, else a new one; the service's log names it."
          },
          "servers": [{"url": "/"}],
          "tags": [
            {"name": "registration", "description": "Which device is notified of what."},
            {"name": "messages", "description": "What the app fetches."},
            {"name": "operations", "description": "For whoever runs the service."}
          ],
          "paths": {
        """#

    /// The refusals of a call that share a component, by status; those of every call are among them.
    ///
    /// The lines stand in an operation's `responses`, the last without a comma.
    static func refusals(_ statuses: Int...) -> String {
        let all = Set(statuses).union([414, 431]).sorted()
        return all.map { status in
            ##"          "\##(status)": {"$ref": "#/components/responses/\##(refusalNames[status] ?? "Failed")"}"##
        }.joined(separator: ",\n")
    }

    static let refusalsOfChanges = refusals(400, 401, 408, 413, 415, 429, 500, 503)

    private static let refusalNames = [
        400: "Invalid", 401: "Unauthorized", 408: "TooSlow", 413: "TooLarge", 414: "TargetTooLong", 415: "NotJSON",
        429: "TooMany", 431: "HeadersTooLarge", 500: "Failed", 503: "Unavailable",
    ]

    /// A call that lists operations, with its comma; `by` are its own parameters.
    static func list(
        _ path: String, _ id: String, of schema: String, by own: [String], _ summary: String
    ) -> String {
        let parameters = (own + ["BlockTime", "Limit", "Cursor"]).map {
            ##"          {"$ref": "#/components/parameters/\##($0)"}"##
        }.joined(separator: ",\n")
        return #"""
                "\#(path)": {
                  "get": {
                    "operationId": "\#(id)",
                    "tags": ["messages"],
                    "summary": "\#(summary)",
                    "description": "Oldest first, from `block_time` on or after `cursor`.",
                    "parameters": [
            \#(parameters)
                    ],
                    "responses": {
                      "200": {
                        "description": "The next items; empty at the end.",
                        "content": {
                          "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/\#(schema)"}}}
                        }
                      },
            \#(refusals(400, 429, 500, 503))
                    }
                  }
                },

            """#
    }
}
