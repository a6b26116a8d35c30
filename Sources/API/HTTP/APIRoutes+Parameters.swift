import HTTPTypes

extension APIRoutes {
    /// The query parameters that a call under `/v1/` knows.
    static func parameters(of call: String, _ method: HTTPRequest.Method) -> Set<String> {
        // What has a body has all in it.
        method == .get || method == .head ? readParameters[call] ?? [] : []
    }

    private static let readParameters: [String: Set<String>] = [
        "/v1/activity": [
            "address", "include", "types", "direction", "status", "counterparty", "since", "until", "limit", "cursor",
        ],
        "/v1/activity/stream": ["address", "include", "last_event_id"],
        "/v1/push/status": ["device_token"],
        "/v1/push/missed": ["device_token", "after", "limit"],
    ]
}
