import StoreSupport
import TestRandom
import Testing

@testable import PostgresStore
@testable import Store

/// The connection is cut at any byte of a transaction: what was asked for is done once.
@Suite("A lost answer", .timeLimit(.minutes(5)))
struct DoubtTests {
    private let bench: StoreBench
    private let proxy: CutProxy
    private let store: Store

    init() async throws {
        bench = try StoreBench()
        proxy = try CutProxy(to: bench.socket)
        store = try bench.open(through: proxy)
        // From here on all statements are prepared.
        for change in [StoreChange.upkeep, .growth, .upkeep] { try await store.count(change) }
    }

    @Test("Wherever a connection is cut, a change is made once", arguments: CutProxy.Side.allCases)
    func everyByte(_ side: CutProxy.Side) async throws {
        let before = proxy.total(side)
        try await store.count(.growth)
        let bytes = proxy.total(side) - before
        var random = SeededRandom()
        let positions = [0, 1, bytes - 1] + (0..<20).map { _ in Int.random(in: 2..<bytes - 1, using: &random) }
        var counted: UInt64 = 4
        for position in positions {
            for end in CutProxy.ServerEnd.allCases {
                proxy.arm([.init(side: side, after: position, serverEnd: end)])
                try await store.count(position % 2 == 0 ? .growth : .upkeep)
                counted += 1
                proxy.arm([])
                let found = try await StoreBench.patiently { try store.counted() }
                try #require(found == counted, "TEST_SEED=\(random.seed): \(side) \(position) of \(bytes), \(end)")
            }
        }
        #expect(try bench.open(readOnly: true).counted() == counted)
    }

    @Test("Cut again and again while it finds out what became of it, by several changes at once")
    func manyCuts() async throws {
        var random = SeededRandom()
        var counted: UInt64 = 3
        for round in 0..<40 {
            let cuts = (0..<Int.random(in: 2...4, using: &random)).map { number in
                CutProxy.Cut(
                    side: CutProxy.Side.allCases.randomElement(using: &random) ?? .request,
                    after: Int.random(in: 0..<(number == 0 ? 800 : 3_000), using: &random),
                    serverEnd: CutProxy.ServerEnd.allCases.randomElement(using: &random) ?? .closed)
            }
            let changes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Bool.random(using: &random) ? StoreChange.growth : .upkeep
            }
            proxy.arm(cuts)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for change in changes { group.addTask { try await store.count(change) } }
                try await group.waitForAll()
            }
            counted += UInt64(changes.count)
            proxy.arm([])
            let found = try await StoreBench.patiently { try store.counted() }
            try #require(found == counted, "TEST_SEED=\(random.seed), round \(round): \(cuts)")
        }
        #expect(try bench.open(readOnly: true).counted() == counted)
    }
}
