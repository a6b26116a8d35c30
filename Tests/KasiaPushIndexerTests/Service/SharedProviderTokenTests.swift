import APNs
import Clocks
import Crypto
import Foundation
import Kaspa
import Postgres
import Store
import StoreSupport
import Synchronization
import TestRandom
import Testing

@testable import KasiaPushIndexer
@testable import PostgresStore

/// Apple answers `TooManyProviderTokenUpdates` to a team that makes a token within twenty minutes of the one before.
@Suite("One provider token for all processes", .timeLimit(.minutes(5)))
struct SharedProviderTokenTests {
    private static let processes = 8
    /// Milliseconds.
    private static let (minute, day) = (UInt64(60_000), UInt64(86_400_000))
    /// How far a machine's wall clock is from the true time at most, milliseconds.
    private static let skew: UInt64 = 500
    private static let lease = Duration.milliseconds(20)

    /// One of the processes: its machine's clock, and its store while it works.
    private struct Member {
        let watch = StandbyWatch(SharedProviderTokenTests.lease)
        let skew: UInt64
        let started: UInt64
    }

    private let location: PostgresStore.Location
    private let key = P256.Signing.PrivateKey().pemRepresentation

    init() throws { location = try TestStores.location(UUID().uuidString) }

    /// Opens the store as one that stands by does.
    private func takeOver(_ member: Member) async throws -> Store {
        while true {
            let opened = Result { () throws(StoreError) in
                try PostgresStore.open(location, network: .mainnet, standby: member.watch)
            }
            if case .failure(let error) = opened, error.code == .locked {
                try await Task.sleep(for: .milliseconds(5))
            } else {
                return try opened.get()
            }
        }
    }

    private func source(_ member: Member, _ store: Store, _ now: Now) throws -> ProviderTokenSource {
        let time = MachineClock(
            wall: { now.milliseconds + member.skew }, uptime: { now.milliseconds - member.started })
        return try ProviderTokenSource(
            teamID: "TEAM123456", keyID: "KEY1234567", privateKeyPEM: key, storage: ProviderTokenStore(store: store),
            time: time)
    }

    /// The true time of the simulated day, milliseconds since 1970.
    private final class Now: Sendable {
        private let value = Atomic<UInt64>(1_800_000_000_000)

        var milliseconds: UInt64 { value.load(ordering: .relaxed) }

        func pass(_ milliseconds: UInt64) { value.add(milliseconds, ordering: .relaxed) }
    }

    @Test("Eight that follow one another over a day, stopped or killed, never make two within twenty minutes")
    func day() async throws {
        var random = SeededRandom()
        let (now, seed) = (Now(), random.seed)
        let start = now.milliseconds
        let members = (0..<Self.processes).map { _ in
            Member(skew: .random(in: 0...2 * Self.skew, using: &random), started: start - Self.minute)
        }
        var made: [(jwt: String, at: UInt64)] = []
        var takeovers = 0
        var last: Int?
        while now.milliseconds - start < Self.day {
            var others = Array(members.indices)
            if let last { others.remove(at: last) }
            let number = try #require(others.randomElement(using: &random))
            (last, takeovers) = (number, takeovers + 1)
            var store: Store? = try await takeOver(members[number])
            let closing = try #require(store?.closing)
            // It works for two hours at most.
            let end = now.milliseconds + .random(in: Self.minute...120 * Self.minute, using: &random)
            if let store {
                let source = try source(members[number], store, now)
                while now.milliseconds < min(end, start + Self.day) {
                    var token = try await source.current()
                    // Apple may call it expired at any time.
                    if Int.random(in: 0..<4, using: &random) == 0,
                        case .renewed(let renewed) = try await source.renew(after: token.jwt)
                    {
                        token = renewed
                    }
                    if made.last?.jwt != token.jwt { made.append((token.jwt, now.milliseconds)) }
                    now.pass(.random(in: 1...5 * Self.minute, using: &random))
                }
            }
            store = nil
            #expect(await closing.wait(atMost: .seconds(10)))
            // As a kill leaves it.
            if Bool.random(using: &random) {
                try Connection(location.settings(session: PostgresStore.session))
                    .execute(script: "update writer set is_released = false")
            }
        }
        let gaps = zip(made, made.dropFirst()).map { $1.at - $0.at }
        #expect(gaps.allSatisfy { $0 >= 20 * Self.minute - 2 * Self.skew }, "TEST_SEED=\(seed): \(gaps)")
        #expect(Set(made.map(\.jwt)).count == made.count, "TEST_SEED=\(seed): a token came back")
        // None is older than the 45 minutes and a look.
        #expect(gaps.allSatisfy { $0 <= 52 * Self.minute } && made.count >= 24 && takeovers >= 12, "TEST_SEED=\(seed)")
    }

    @Test("Eight that send at once over a day, in any order, never make two within twenty minutes")
    func atOnce() async throws {
        var random = SeededRandom()
        let (now, seed) = (Now(), random.seed)
        let start = now.milliseconds
        let store = try PostgresStore.open(location, network: .mainnet, shards: Self.processes)
        let shards = try (1..<Self.processes).map {
            try PostgresStore.openShard($0, of: Self.processes, location, network: .mainnet)
        }
        let sources = try ([store] + shards.map(\.store)).map { store in
            try source(
                Member(skew: .random(in: 0...2 * Self.skew, using: &random), started: start - Self.minute), store, now)
        }
        var made: [(jwt: String, at: UInt64)] = []
        while now.milliseconds - start < Self.day {
            // Some at the same moment: the fastest has made it for all.
            let some = sources.shuffled(using: &random).prefix(.random(in: 1...Self.processes, using: &random))
            let isRefused = Int.random(in: 0..<8, using: &random) == 0
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for source in some {
                    group.addTask {
                        let token = try await source.current()
                        guard isRefused, case .renewed(let renewed) = try await source.renew(after: token.jwt)
                        else { return token.jwt }
                        return renewed.jwt
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            for token in tokens where !made.contains(where: { $0.jwt == token }) {
                made.append((token, now.milliseconds))
            }
            now.pass(.random(in: 1...3 * Self.minute, using: &random))
        }
        let gaps = zip(made, made.dropFirst()).map { $1.at - $0.at }
        #expect(gaps.allSatisfy { $0 >= 20 * Self.minute - 2 * Self.skew }, "TEST_SEED=\(seed): \(gaps)")
        #expect(made.count >= 24, "TEST_SEED=\(seed): \(made.count)")
    }
}
