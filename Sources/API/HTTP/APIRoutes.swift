import HTTPTypes

/// The calls of this server, for 405 answers, for other origins, and for the test that compares /openapi.json.
///
/// Every call with GET also has HEAD.
enum APIRoutes {
    /// The call at a path, as a key of `methods`; nil if there is none.
    static func call(at path: String) -> String? {
        if methods[path] != nil { return path }
        // The router ignores repeated slashes and those at the end.
        let parts = path.split(separator: "/")
        let exact = "/" + parts.joined(separator: "/")
        if methods[exact] != nil { return exact }
        // One path ends in a parameter.
        let template = "/" + (parts.dropLast() + ["{tx_id}"]).joined(separator: "/")
        return methods[template] != nil ? template : nil
    }

    /// The calls that pages of other origins may make: those that read about the chain, describe the API, check the
    /// server's health, or check its pushes.
    ///
    /// All other calls are closed to them.
    static let open = reads.union(["/docs", "/guide", "/health", "/openapi.json", "/v1/push/key"])

    /// The calls that read the history.
    static let reads: Set<String> = [
        "/handshakes/by-sender", "/handshakes/by-receiver", "/payments/by-sender", "/payments/by-receiver",
        "/contextual-messages/by-sender", "/contextual-messages/by-inbox", "/contextual-messages/by-txid",
        "/self-stash/by-owner", "/group-messages/by-blinded-group-id", "/group-messages/by-blinded-group-ids",
        "/group-messages/since", "/group-control/by-sender", "/group-control/by-recipient", "/group-control/since",
        "/broadcasts/by-channel", "/get-broadcasts", "/v1/messages/{tx_id}", "/v1/activity", "/v1/activity/refresh",
        "/v1/activity/stream",
    ]

    static let methods: [String: [HTTPRequest.Method]] = [
        "/": [.get, .head], "/status.json": [.get, .head], "/status/stream": [.get, .head], "/docs": [.get, .head],
        "/guide": [.get, .head], "/health": [.get, .head], "/ready": [.get, .head], "/metrics": [.get, .head],
        "/metrics/prometheus": [.get, .head], "/openapi.json": [.get, .head],
        "/v1/push/register": [.post], "/v1/push/update": [.put, .post], "/v1/push/unregister": [.delete, .post],
        "/v1/push/status": [.get, .head, .post], "/v1/push/challenge": [.get, .head, .post],
        "/v1/push/wallet": [.delete], "/v1/push/devices": [.post], "/v1/push/ring": [.post],
        "/v1/push/vapid": [.get, .head], "/v1/push/key": [.get, .head],
        "/handshakes/by-sender": [.get, .head], "/handshakes/by-receiver": [.get, .head],
        "/payments/by-sender": [.get, .head], "/payments/by-receiver": [.get, .head],
        "/contextual-messages/by-sender": [.get, .head], "/contextual-messages/by-inbox": [.get, .head],
        "/contextual-messages/by-txid": [.get, .head], "/self-stash/by-owner": [.get, .head],
        "/group-messages/by-blinded-group-ids": [.post], "/group-messages/since": [.post],
        "/group-control/since": [.post], "/get-broadcasts": [.get, .head],
        "/group-messages/by-blinded-group-id": [.get, .head], "/group-control/by-sender": [.get, .head],
        "/group-control/by-recipient": [.get, .head], "/broadcasts/by-channel": [.get, .head],
        "/v1/messages/{tx_id}": [.get, .head],
        "/v1/activity": [.get, .head], "/v1/activity/stream": [.get, .head], "/v1/activity/refresh": [.post],
        "/v1/push/missed": [.get, .head, .post],
    ]
}

extension APIRoutes {
    /// The query parameters that a call under `/v1/` knows.
    static func parameters(of call: String, _ method: HTTPRequest.Method) -> Set<String> {
        // A call with a body takes no query parameters.
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
