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
    private let logger: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()
    private let reads: StandbyReads

    init() { reads = StandbyReads(configuration: APIConfiguration(network: .mainnet), logger: logger) }

    /// Runs a test against the router.
    private func run(
        _ setup: TestingSetup = .router,
        _ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let readiness = Readiness(parts: [Readiness.Part(name: "store", isReady: false, state: "another one works")])
        let application = try buildStandbyAPI(
            configuration: APIConfiguration(network: .mainnet), metrics: metrics, reads: reads,
            readiness: { readiness }, logger: logger)
        try await application.test(setup, test)
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
        let directory = try TemporaryDirectory()
        let store = try TestStores.open(directory.file("store"))
        let operation = OperationRecord(
            transactionID: Samples.hash(1), kind: .broadcast, sender: Samples.alice, receiver: nil, amount: 0,
            blockHash: Samples.hash(2), blockTime: 1_000, acceptance: nil, payload: Samples.broadcast("hello"))
        _ = try await store.history.recordPending([operation])
        await reads.read(from: store)
        let message = "/v1/messages/\(Samples.hash(1))"
        try await run { client in
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
            await reads.read(from: nil)
            #expect(try await client.execute(uri: message, method: .get).status == .serviceUnavailable)
        }
    }

    @Test("a stream sends what is published, ends with the store, and goes on after the last event seen")
    func stream() async throws {
        let directory = try TemporaryDirectory()
        let store = try TestStores.open(directory.file("store"))
        await reads.read(from: store)
        try await run(.live) { [reads] client in
            let port = try #require(client.port)
            var chain = try ActivityChain(store)
            let path = "/v1/activity/stream?address=\(chain.bob)"
            var step = 0
            let first = try await EventReader.read(path, port: port) { answer in
                guard answer.events.count > step else { return true }
                step = answer.events.count
                if step == 3 {
                    await reads.read(from: nil)
                } else {
                    try await chain.accept([step])
                    await reads.publish()
                }
                return true
            }
            #expect(first.status == 200 && first.events.map(\.name) == [nil, "activity", "activity"])
            try await chain.accept([3])
            await reads.publish()
            await reads.read(from: store)
            let second = try await EventReader.read(path, port: port, lastID: first.lastID) { $0.events.isEmpty }
            #expect(second.events.count == 1 && second.events[0].data?.contains("\(ActivityChain.id(3))") == true)
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
