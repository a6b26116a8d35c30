import Foundation
import KasiaPushClient

/// The REST API, as an app reaches it.
struct DemoClient: Sendable {
    let port: Int
    let indexer: IndexerClient

    /// Errors: `StartError` for a port that no address has.
    init(port: Int) throws {
        guard let url = URL(string: "http://127.0.0.1:\(port)"), let indexer = IndexerClient(baseURL: url) else {
            throw StartError(description: "\(port) is not a port")
        }
        self.port = port
        self.indexer = indexer
    }

    /// The indexer's figures; nil when it does not answer.
    func figures() async -> DemoFigures? {
        (try? await indexer.prometheusMetrics()).map { DemoFigures(metrics: $0) }
    }
}
