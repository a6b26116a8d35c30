import Foundation
import KasiaPushClient
import KasiaPushCore
import KasiaPushStore

@testable import GuideSnippets

/// A value behind a lock.
final class Box<Value: Sendable>: @unchecked Sendable {
    // Sendable is unchecked because the lock guards the value.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func use<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }

    var now: Value { use { $0 } }
}

/// A key chain in memory.
struct MemorySecrets: SecretStore {
    let items: Box<[String: [UInt8]]>

    init(wallet: [UInt8]?) { items = Box(wallet.map { ["wallet": $0] } ?? [:]) }

    func read(_ name: String) throws -> [UInt8]? { items.now[name] }
    func write(_ secret: [UInt8], _ name: String) throws { items.use { $0[name] = secret } }
}

/// An app's messages in memory.
struct MemoryMessages: AppMessages {
    let saved = Box<[PendingMessage]>([])

    func save(_ messages: [PendingMessage]) async throws { saved.use { $0 += messages } }
    func newest() async throws -> Int64 { saved.now.map(\.receivedAt).max() ?? 0 }
}

/// A service whose answers are a test's; it keeps what it was asked.
final class ModelTransport: Transport {
    struct Asked: Sendable {
        let method: String
        let path: String
        let body: [String: String]
    }

    /// The answer's status and JSON; nil is a broken connection.
    typealias Answer = @Sendable (_ method: String, _ path: String) -> (Int, String)?

    let asked = Box<[Asked]>([])
    private let onRequest: Answer

    init(_ onRequest: @escaping Answer) { self.onRequest = onRequest }

    func answer(to request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        let members = request.body.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
        asked.use {
            $0.append(
                Asked(method: request.method, path: request.url.path, body: members.mapValues { "\($0)" }))
        }
        guard let (status, json) = onRequest(request.method, request.url.path) else { throw .unreachable("no network") }
        let headers = TransportHeaders(["Content-Type": "application/json"])
        return TransportAnswer(status: status, headers: headers, body: Data(json.utf8))
    }

    func stream(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
        TransportStream(status: 503) { () async throws(TransportError) -> Data? in nil }
    }

    var client: IndexerClient { IndexerClient(baseURL: Example.service, transport: self)! }
}

/// A folder of one test, removed with it.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    var storePath: String { url.appendingPathComponent("push.sqlite").path }
}

extension RegistrationEnvironment {
    /// Time that passes when somebody waits for less than an hour; longer waits end when they are cancelled.
    static func quick() -> RegistrationEnvironment {
        let time = Box<Int64>(1_767_225_600_000)
        return RegistrationEnvironment(
            now: { time.now },
            sleep: { pause in
                guard pause >= .seconds(3_600) else {
                    return time.use { $0 += pause.components.seconds * 1_000 + 1_000 }
                }
                try? await Task.sleep(for: pause)
            },
            chance: { 0.5 })
    }
}
