import Clocks
import Foundation
import Kaspa
import Logging
import Push
import ServiceLifecycle
import Store
import StoreSupport
import Testing

@testable import KasiaPushIndexer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("The control socket", .timeLimit(.minutes(10)))
struct ControlServiceTests {
    let directory: TemporaryDirectory
    let storePath: String

    init() throws {
        directory = try TemporaryDirectory()
        storePath = directory.path + "/s"
    }

    /// Runs a control service on a store of its own while `body` runs.
    private func withService(
        compaction: TryLock = TryLock(), requestTimeout: Duration = .seconds(600), sendingTrouble: String? = nil,
        _ body: (Store) async throws -> Void
    ) async throws {
        let store = try Store(path: storePath, network: .mainnet)
        let registry = DeviceRegistry(store: store, inFlight: InFlightDevices(), clock: ServiceClock(given: { 1_000 }))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(
            services: [
                ControlService(
                    storePath: storePath, store: store, registry: registry, client: nil, logger: logger,
                    compaction: compaction, requestTimeout: requestTimeout, sendingTrouble: { sendingTrouble })
            ],
            logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                while try await ControlClient.send(.ping, storePath: storePath) == .notRunning {
                    try await Task.sleep(for: .milliseconds(5))
                }
                try await body(store)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// The service's answer; nil where none runs.
    private func ask(_ request: ControlRequest) async throws -> String? {
        switch try await ControlClient.send(request, storePath: storePath) {
        case .notRunning: nil
        case .done(let answer): answer
        }
    }

    private func register(_ byte: UInt8, in store: Store, wallet: Address? = nil) async throws -> [UInt8] {
        let token = [UInt8](repeating: byte, count: 32)
        let address = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: byte, count: 32)))
        try await store.registry.upsertDevice(DeviceID(token: token)) { _ in
            DeviceRecord(
                token: token, platform: .ios, createdAt: 1, lastSeen: 2, walletAddress: wallet,
                watchedAddresses: [address])
        }
        return token
    }

    @Test("nobody there is no error, and the socket goes with the service")
    func comesAndGoes() async throws {
        #expect(try await ask(.ping) == nil)
        try await withService { _ in
            let answer = try await ask(.ping)
            #expect(answer == "the service runs")
        }
        #expect(try await ask(.ping) == nil)
        #expect(!FileManager.default.fileExists(atPath: storePath + "/control.sock"))
    }

    @Test("only the owner may use it, and what a killed service left is replaced")
    func permissions() async throws {
        try FileManager.default.createDirectory(atPath: storePath, withIntermediateDirectories: true)
        let left = try ControlSocket(storePath: storePath).makeListener()
        close(left)
        #expect(FileManager.default.fileExists(atPath: storePath + "/control.sock"))
        try await withService { _ in
            let attributes = try FileManager.default.attributesOfItem(atPath: storePath + "/control.sock")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.type] as? FileAttributeType == .typeSocket)
        }
    }

    @Test("clients that say nothing, served or waiting, do not hold up its end", arguments: 0..<10)
    func stopsWithClients(round: Int) async throws {
        var clients: [CInt] = []
        defer { clients.forEach { close($0) } }
        try await withService { _ in
            for _ in 0..<16 {
                clients.append(try #require(try ControlSocket(storePath: storePath).makeConnection()))
            }
        }
    }

    @Test("silent clients hold up nobody: while there is a place, and once they are hung up on", arguments: [-1, 0, 1])
    func silent(beyond: Int) async throws {
        var clients: [CInt] = []
        defer { clients.forEach { close($0) } }
        // With one place free they may be silent for as long as they like.
        let timeout: Duration = beyond < 0 ? .seconds(600) : .milliseconds(20)
        try await withService(requestTimeout: timeout) { _ in
            for number in 0..<ControlService.maximumClients + beyond {
                let client = try #require(try ControlSocket(storePath: storePath).makeConnection())
                // One has begun a line, and never ends it.
                if number == 0 { _ = send(client, "backup /", 8, Int32(MSG_NOSIGNAL)) }
                clients.append(client)
            }
            let target = directory.path + "/copy"
            let answer = try await ask(.backup(directory: target))
            #expect(answer == target)
        }
    }

    @Test("a path with a line feed is refused as it is, whether a service runs or not", arguments: [true, false])
    func lineFeed(isRunning: Bool) async throws {
        func refused() async throws {
            for path in ["/a\nb", "/a\r\nb", "/a\n", directory.path + "/copy\n/x"] {
                let error = try await #require(throws: StartError.self) {
                    _ = try await ControlClient.send(.backup(directory: path), storePath: storePath)
                }
                #expect(error.description.contains("line feed"))
            }
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/copy"))
        }
        guard isRunning else { return try await refused() }
        try await withService { _ in try await refused() }
    }

    @Test("a backup is whole, private and refused where something is")
    func backup() async throws {
        let target = directory.path + "/copy"
        try await withService { store in
            _ = try await register(1, in: store)
            #expect(
                try await ask(.backup(directory: target)) == target)
            let copy = try Store(path: target, network: .mainnet, readOnly: true)
            #expect(try copy.checkBooks().isSound)
            #expect(try await copy.totals().devices == 1)
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            for (path, reason) in [(target, "is there already"), (directory.path + "/no/where", "is not there")] {
                let error = try await #require(throws: StartError.self) {
                    _ = try await ControlClient.send(.backup(directory: path), storePath: storePath)
                }
                #expect(error.description.contains(reason))
            }
        }
    }

    @Test("a second compaction is refused while one runs, and no other request is")
    func compactsOnce() async throws {
        let compaction = TryLock()
        try await withService(compaction: compaction) { _ in
            #expect(compaction.tryLock())
            for _ in 0..<2 {
                let error = try await #require(throws: StartError.self) { _ = try await ask(.compact) }
                #expect(error.description.contains("compacts already: wait for that to end"))
            }
            #expect(try await ask(.ping) != nil)
            compaction.unlock()
            // Each leaves when it has ended.
            for _ in 0..<2 { #expect(try await ask(.compact)?.hasSuffix(" now") == true) }
        }
    }

    @Test("whether sending is paused is told, and nothing while it is not or nobody is there")
    func sending() async throws {
        #expect(await ControlClient.ask(.sending, storePath: storePath) == nil)
        for trouble in ["Sending is paused: Apple throttles the provider token; next try in 41 s.", nil] {
            try await withService(sendingTrouble: trouble) { _ in
                // A busy machine takes its time.
                let answer = await ControlClient.ask(.sending, storePath: storePath, within: .seconds(60))
                #expect(answer == trouble ?? "")
            }
        }
    }

    @Test("a question to a service that stands still, or that knows it not, has no answer and does not wait for one")
    func unanswered() async throws {
        try FileManager.default.createDirectory(atPath: storePath, withIntermediateDirectories: true)
        let listener = try ControlSocket(storePath: storePath).makeListener()
        #expect(await ControlClient.ask(.sending, storePath: storePath, within: .milliseconds(20)) == nil)
        close(listener)
        try await withService { _ in
            let answer = await ControlClient.ask(.backup(directory: directory.path), storePath: storePath)
            #expect(answer == nil, "it is refused")
        }
    }

    @Test("a device goes whatever wallet it has, and a compaction tells how far it is")
    func removesAndCompacts() async throws {
        try await withService { store in
            let wallet = try #require(
                Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 8, count: 32)))
            let token = try await register(2, in: store, wallet: wallet)
            _ = try await register(3, in: store)
            #expect(try await ask(.remove(token: token)) == "removed")
            #expect(
                try await ask(.remove(token: token)) == "not registered")
            #expect(try await store.totals().devices == 1 && store.checkBooks().isSound)
            let lines = Lines()
            let outcome = try await ControlClient.send(.compact, storePath: storePath) { lines.add($0) }
            guard case .done(let text) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(text.contains(" before, ") && lines.all.count == ColumnFamily.allCases.count)
        }
    }

    @Test("lines of any shape get an answer or none, and hurt nobody", arguments: [8_447, 8_448, 8_449])
    func garbage(length: Int) async throws {
        try await withService { _ in
            for bytes in [
                Array(repeating: UInt8(ascii: "x"), count: length) + [0x0a], [0xff, 0xfe, 0x0a], [0x0a], [],
                Array("ping".utf8),
            ] {
                let answer = try await exchange(bytes)
                #expect(answer.isEmpty || answer.hasPrefix("failed "), "\(answer)")
                if bytes.count == length + 1 { #expect(answer.isEmpty == (length > 8_448)) }
            }
            let answer = try await ask(.ping)
            #expect(answer == "the service runs")
        }
    }

    /// Sends bytes and the end, and returns what comes back.
    private func exchange(_ bytes: [UInt8]) async throws -> String {
        let descriptor = try #require(try ControlSocket(storePath: storePath).makeConnection())
        // On a thread that may wait: the service needs those of the tasks.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Self.exchange(bytes, over: descriptor))
            }
        }
    }

    private static func exchange(_ bytes: [UInt8], over descriptor: Int32) -> String {
        defer { close(descriptor) }
        // A service that has hung up already takes no more.
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(descriptor, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += buffer[..<count]
        }
    }

    @Test("a path fits to its last byte", arguments: [-1, 0, 1])
    func pathLength(beyond: Int) throws {
        let room = ControlSocket.maximumPathBytes - ControlSocket.name.utf8.count - 1
        let path = "/" + String(repeating: "a", count: room + beyond - 1)
        if beyond > 0 {
            #expect(throws: StartError.self) { try ControlSocket(storePath: path) }
        } else {
            #expect(try ControlSocket(storePath: path).path.utf8.count <= ControlSocket.maximumPathBytes)
        }
    }
}
