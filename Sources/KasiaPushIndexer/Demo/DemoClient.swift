import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The demo's app side: plain HTTP requests to the REST API, as curl would send them.
struct DemoClient: Sendable {
    let port: Int

    /// Waits until `/health` answers, at most `limit`.
    func waitUntilUp(limit: Duration) async throws {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let answer = try? await send("GET", "/health", body: nil), answer.status == 200 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw StartError(description: "the indexer did not answer within \(limit)")
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
