import APNs
import APNsSandbox
import Clocks
import Foundation
import Logging
import ServiceLifecycle
import Testing

/// A client and a sandbox that talk over loopback with real TLS and HTTP/2.
struct WireFixture {
    let sandbox: APNsSandbox
    let client: APNsClient
    let credentials: SandboxCredentials
    let storage: MemoryStorage
    /// Ends `client.run()` gracefully.
    let shutDown: @Sendable () async -> Void

    static let topic = "app.kasia.test"

    /// Runs `body` with both running, and ends both afterwards.
    ///
    /// A sandbox with a development port stands in for two hosts, of which production is the operator's own.
    static func run(
        sandbox changeSandbox: (inout SandboxConfiguration) -> Void = { _ in },
        client changeClient: (inout APNsConfiguration) -> Void = { _ in },
        time: MachineClock = .system, log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (WireFixture) async throws -> Void
    ) async throws {
        let credentials = SandboxCredentials.generate()
        var sandboxConfiguration = SandboxConfiguration(credentials: credentials, topics: [topic])
        changeSandbox(&sandboxConfiguration)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let sandbox = try APNsSandbox(configuration: sandboxConfiguration, logger: logger)
        try await sandbox.start()

        let authority = FileManager.default.temporaryDirectory
            .appendingPathComponent("apns-test-\(UUID().uuidString).pem")
        try sandbox.certificateAuthorityPEM.write(to: authority, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: authority) }

        var configuration = APNsConfiguration(
            developmentOrigin: sandbox.origin(of: .development), productionOrigin: sandbox.origin(of: .production),
            defaultHost: .production, certificateAuthorityPath: authority.path, topic: topic)
        changeClient(&configuration)
        let storage = MemoryStorage()
        let source = try ProviderTokenSource(
            teamID: credentials.teamID, keyID: credentials.keyID, privateKeyPEM: credentials.privateKeyPEM,
            storage: storage, time: time)
        let client = try APNsClient(configuration: configuration, providerToken: source, logger: log)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: client, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let fixture = WireFixture(
                sandbox: sandbox, client: client, credentials: credentials, storage: storage,
                shutDown: { await group.triggerGracefulShutdown() })
            do {
                try await body(fixture)
            } catch {
                tasks.cancelAll()
                await sandbox.stop()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        await sandbox.stop()
    }

    /// Sends requests at the same time, every other one by handing it over, and returns their outcomes in order.
    func send(_ requests: [APNsRequest]) async -> [APNsOutcome] {
        // Without a token at hand every request would wait for it.
        try? await client.prepareProviderToken()
        return await withTaskGroup(of: (Int, APNsOutcome?).self) { group in
            for (index, request) in requests.enumerated() {
                let begun = index.isMultiple(of: 2) ? client.begun(request) : nil
                group.addTask {
                    guard let begun else { return (index, await client.send(request)) }
                    return (index, await begun.first { _ in true })
                }
            }
            var outcomes = [APNsOutcome?](repeating: nil, count: requests.count)
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes.compactMap { $0 }
        }
    }
}

extension APNsClient {
    /// The outcome, which comes once, of a request that is handed over.
    func begun(_ request: APNsRequest) -> AsyncStream<APNsOutcome> {
        let (outcomes, sink) = AsyncStream.makeStream(of: APNsOutcome.self)
        send(request) {
            if case .terminated = sink.yield($0) { Issue.record("an outcome was told twice") }
            sink.finish()
        }
        return outcomes
    }
}

/// A request to the device of this number.
func makeRequest(_ number: Int = 0, payload: String? = nil) -> APNsRequest {
    let token = deviceToken(number)
    let transaction = String(repeating: "7", count: 64)
    return APNsRequest(
        deviceToken: token,
        payload: Array((payload ?? #"{"aps":{"alert":"hello"},"n":\#(number)}"#).utf8),
        id: NotificationID.make(network: "simnet", transactionID: transaction, deviceToken: token),
        collapseID: transaction, expiration: UInt64(Date().timeIntervalSince1970) + 3600)
}

/// The token of the device of this number: 64 hex digits.
func deviceToken(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

extension Collection<APNsOutcome> {
    /// What became of those that Apple does not have, and of how many.
    var undelivered: [String: Int] {
        lazy.filter { !$0.isDelivered }.reduce(into: [:]) { $0["\($1)", default: 0] += 1 }
    }
}
