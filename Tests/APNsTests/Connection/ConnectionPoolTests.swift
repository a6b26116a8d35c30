import Logging
import Testing

@testable import APNs

@Suite("Connection pool", .timeLimit(.minutes(5)))
struct ConnectionPoolTests {
    /// Nobody listens there.
    private let pool = ConnectionPool(
        connections: 1,
        settings: CurlSettings(
            APNsConfiguration(endpoint: "https://127.0.0.1:1", topic: WireFixture.topic), host: .production),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

    /// How a request with headers of this generation ends; whether it ever had a connection.
    private func perform(generation: Int) async throws -> (isHandedBack: Bool, hadConnection: Bool) {
        let headers = try HeaderList(
            token: ProviderToken(jwt: "jwt", issuedAt: 1), generation: generation, topic: WireFixture.topic)
        let result = await pool.perform(
            makeRequest(1), headers, sendBy: ContinuousClock.now + Duration.seconds(60))
        let isHandedBack = if case .handedBack = result.ending { true } else { false }
        return (isHandedBack, result.connection != nil)
    }

    @Test("opens no connection for headers of a key that was replaced, but for those of its successor")
    func replacedKey() async throws {
        pool.replaceAll(refusingUpTo: 2)
        for generation in [1, 2] {
            let old = try await perform(generation: generation)
            #expect(old.isHandedBack && !old.hadConnection)
        }
        let new = try await perform(generation: 3)
        #expect(!new.isHandedBack && new.hadConnection)
        pool.close()
        await pool.ended()
    }

    @Test("does not take back an old key's headers for an even older replacement")
    func order() async throws {
        pool.replaceAll(refusingUpTo: 2)
        pool.replaceAll(refusingUpTo: 1)
        let old = try await perform(generation: 2)
        #expect(old.isHandedBack && !old.hadConnection)
        pool.close()
        await pool.ended()
    }
}
