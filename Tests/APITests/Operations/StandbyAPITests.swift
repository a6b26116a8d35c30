import Foundation
import HTTPTypes
import HummingbirdTesting
import KasiaProtocol
import Kaspa
import Logging
import Metrics
import NIOCore
import SampleOperations
import Store
import StoreSupport
import Testing

@testable import API

@Suite("The calls of a process that stands by")
struct StandbyAPITests {
    private let metrics = PrometheusRegistry()

    /// Runs a test against the router.
    private func run(
        _ reads: StandbyReads = StandbyReads(configuration: APIConfiguration(network: .mainnet)),
        _ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let readiness = Readiness(parts: [Readiness.Part(name: "store", isReady: false, state: "another one works")])
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let application = try buildStandbyAPI(
            configuration: APIConfiguration(network: .mainnet), metrics: metrics, reads: reads,
            readiness: { readiness }, logger: logger)
        try await application.test(.router, test)
    }

    @Test("it lives, is not ready, and says why")
    func health() async throws {
        try await run { client in
            let health = try await client.execute(uri: "/health", method: .get)
            #expect(health.status == .ok && health.text == #"{"status":"ok"}"#)
            let ready = try await client.execute(uri: "/ready", method: .get)
            #expect(ready.status == .serviceUnavailable && ready.headers[.contentType] == "application/json")
            #expect(ready.text == #"{"ready":false,"parts":{"store":{"ready":false,"state":"another one works"}}}"#)
            let head = try await client.execute(uri: "/ready", method: .head)
            #expect(head.status == .serviceUnavailable && head.body.readableBytes == 0)
        }
    }

    @Test("its metrics are the process's")
    func readMetrics() async throws {
        Gauge(label: "kasia_standby", factory: metrics).record(1)
        try await run { client in
            let text = try await client.execute(uri: "/metrics/prometheus", method: .get)
            #expect(text.text.contains("\n# TYPE kasia_standby gauge\nkasia_standby 1\n"))
            let json = try await client.execute(uri: "/metrics", method: .get)
            let object = try JSONSerialization.jsonObject(with: Data(buffer: json.body)) as? [String: Any]
            #expect(object?["standby"] as? Int == 1)
        }
    }

    @Test("every other call, known or not, is 503 and soon tried again")
    func refused() async throws {
        let calls = APIRoutes.methods.filter { !OperationsRoutes.calls.contains($0.key) }
        #expect(calls.count == APIRoutes.methods.count - 4)
        try await run { client in
            for (path, methods) in Array(calls) + [("/none", [.get, .delete]), ("/v1/push", [.post])] {
                for method in methods {
                    let body = method == .get || method == .head ? nil : ByteBuffer(string: "{}")
                    let answer = try await client.execute(
                        uri: path.replacing("{tx_id}", with: "00"), method: method, body: body)
                    #expect(answer.status == .serviceUnavailable, "\(method) \(path)")
                    #expect(answer.headers[.retryAfter] == "1" && answer.headers[.xRequestID] != nil)
                    let expected =
                        #"{"error":"this process stands by while another one works: try again","code":"unavailable"}"#
                    #expect(answer.text == (method == .head ? "" : expected), "\(method) \(path)")
                }
            }
        }
    }

    @Test("with the store open to read, the history is read here, and nothing else")
    func history() async throws {
        let reads = StandbyReads(configuration: APIConfiguration(network: .mainnet))
        let directory = try TemporaryDirectory()
        let store = try TestStores.open(directory.file("store"))
        let operation = OperationRecord(
            transactionID: Samples.hash(1), kind: .broadcast, sender: Samples.alice, receiver: nil, amount: 0,
            blockHash: Samples.hash(2), blockTime: 1_000, acceptance: nil, payload: Samples.broadcast("hello"))
        _ = try await store.history.recordPending([operation])
        reads.read(from: store)
        let message = "/v1/messages/\(Samples.hash(1))"
        try await run(reads) { client in
            let found = try await client.execute(uri: message, method: .get)
            #expect(found.status == .ok && found.text.contains("\"\(Samples.hash(1))\""), "\(found.text)")
            let none = try await client.execute(uri: "/v1/messages/\(Samples.hash(9))", method: .get)
            #expect(none.status == .notFound)
            let states = try await client.execute(
                uri: "/v1/activity/refresh", method: .post,
                body: ByteBuffer(string: "{\"ids\":[\"\(Samples.hash(1))\"]}"))
            #expect(states.status == .ok)
            for call in APIRoutes.methods where !APIRoutes.reads.union(OperationsRoutes.calls).contains(call.key) {
                let answer = try await client.execute(uri: call.key, method: call.value[0])
                #expect(answer.status == .serviceUnavailable, "\(call.key)")
            }
            reads.read(from: nil)
            #expect(try await client.execute(uri: message, method: .get).status == .serviceUnavailable)
        }
    }

    @Test("what is refused of any server is refused as ever: other origins, other hosts")
    func asEver() async throws {
        try await run { client in
            let foreign = try await client.execute(
                uri: "/v1/push/register", method: .post, headers: [.origin: "https://elsewhere.example"])
            #expect(foreign.status == .forbidden)
            // A page may read the answer of an open call, also this one.
            let open = try await client.execute(
                uri: "/v1/activity", method: .get, headers: [.origin: "https://elsewhere.example"])
            #expect(open.status == .serviceUnavailable && open.headers[.accessControlAllowOrigin] == "*")
        }
    }
}
