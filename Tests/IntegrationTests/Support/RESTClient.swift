import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Kaspa
import Testing

/// An app's HTTP side.
struct RESTClient: Sendable {
    let port: Int
    /// Whether it gives an answer up after some seconds.
    var isImpatient = false

    private static let impatient: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 5
        return URLSession(configuration: configuration)
    }()

    @discardableResult
    func send(_ method: String, _ path: String, _ body: Data? = nil) async throws -> (status: Int, body: Data) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        request.httpBody = body
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "content-type") }
        let (data, response) = try await (isImpatient ? Self.impatient : .shared).data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, data)
    }

    func register(_ body: Data) async throws {
        let answer = try await send("POST", "/v1/push/register", body)
        guard answer.status != 503 else { throw Unavailable() }
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    /// A registration that is large on disk: 256 addresses that nobody else has; false when it was answered 503.
    func registerLarge(_ token: String, number: Int) async throws -> Bool {
        let addresses = (0..<256).compactMap { index in
            Address(
                prefix: .kaspa, version: .schnorr,
                payload: [UInt8(number >> 8 & 0xff), UInt8(number & 0xff), UInt8(index)]
                    + [UInt8](repeating: 9, count: 29)
            )?.description
        }
        let body = try JSONSerialization.data(withJSONObject: [
            "device_token": token, "platform": "ios", "watched_addresses": addresses,
        ])
        let answer = try await send("POST", "/v1/push/register", body)
        try #require([200, 503].contains(answer.status), "\(String(decoding: answer.body, as: UTF8.self))")
        return answer.status == 200
    }

    /// Whether the service is ready, and what it says of its store.
    func readiness() async throws -> (isReady: Bool, store: String) {
        let answer = try await send("GET", "/ready")
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let parts = try #require(object?["parts"] as? [String: [String: Any]])
        return (answer.status == 200, try #require(parts["store"]?["state"] as? String))
    }

    func isRegistered(_ token: String) async throws -> Bool {
        let answer = try await send("GET", "/v1/push/status?device_token=\(token)")
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return try #require(object?["registered"] as? Bool)
    }
}

/// The service answered 503: later, or another process.
struct Unavailable: Error {}
