import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Testing

/// An app's HTTP side.
struct RESTClient: Sendable {
    let port: Int

    @discardableResult
    func send(_ method: String, _ path: String, _ body: Data? = nil) async throws -> (status: Int, body: Data) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        request.httpBody = body
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "content-type") }
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, data)
    }

    func register(_ body: Data) async throws {
        let answer = try await send("POST", "/v1/push/register", body)
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    func isRegistered(_ token: String) async throws -> Bool {
        let answer = try await send("GET", "/v1/push/status?device_token=\(token)")
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return try #require(object?["registered"] as? Bool)
    }
}
