import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends HTTP requests to the REST API, as an app would.
struct DemoClient: Sendable {
    let port: Int

    /// The indexer's figures; nil when it does not answer.
    func figures() async -> DemoFigures? {
        guard let answer = try? await send("GET", "/metrics/prometheus", body: nil), answer.status == 200 else {
            return nil
        }
        return DemoFigures(metrics: answer.body)
    }

    /// Sends a request; returns status and body.
    func send(_ method: String, _ path: String, body: String?) async throws -> (status: Int, body: String) {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            throw StartError(description: "\(path) is not a path")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "content-type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }
}
