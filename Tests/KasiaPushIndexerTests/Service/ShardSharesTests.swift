import PostgresStore
import Testing

@testable import KasiaPushIndexer

@Suite("Which shards a process takes")
struct ShardSharesTests {
    private func member(
        _ name: String, _ state: ClusterMember.State, _ shards: [Int]?
    ) -> ClusterMember {
        ClusterMember(
            name: name, state: state, version: "1", uptime: .seconds(9), shards: shards, silence: .zero)
    }

    @Test("Alone it takes all; beside others its share, and the one that works counts its own")
    func share() {
        let alone = ShardShares(count: 4, members: [member("a", .working, [])])
        #expect((0...4).map(alone.mayTake) == [true, true, true, true, false])
        let two = ShardShares(count: 4, members: [member("a", .working, []), member("b", .standingBy, [])])
        #expect((0...2).map(two.mayTake) == [true, true, false])
        let three = ShardShares(
            count: 4, members: ["a", "b", "c"].map { member($0, .standingBy, []) })
        #expect((0...2).map(three.mayTake) == [true, true, false])
    }

    @Test("Silent ones, and those of a version that knows no shards, have no share")
    func absent() {
        let shares = ShardShares(
            count: 3, members: [member("a", .working, [1]), member("b", .silent, [2]), member("c", .standingBy, nil)])
        #expect((0...3).map(shares.mayTake) == [true, true, true, false])
        #expect(!shares.givesUp(load: 3, name: "a"))
    }

    @Test("It gives one up only when another one that lives has too few")
    func givesUp() {
        let joined = ShardShares(count: 4, members: [member("a", .working, [1, 2, 3]), member("b", .standingBy, [])])
        #expect(joined.givesUp(load: 4, name: "a") && joined.givesUp(load: 3, name: "a"))
        #expect(!joined.givesUp(load: 2, name: "a") && !joined.givesUp(load: 0, name: "b"))
        // Three for two: one has one more than the other, and that is so.
        let odd = ShardShares(count: 3, members: [member("a", .working, [1]), member("b", .standingBy, [2])])
        #expect(!odd.givesUp(load: 2, name: "a"))
        // More processes than shards: some have none.
        let many = ShardShares(
            count: 2,
            members: [member("a", .working, []), member("b", .standingBy, [1])]
                + ["c", "d"].map { member($0, .standingBy, []) })
        #expect(!many.givesUp(load: 1, name: "a") && !many.givesUp(load: 1, name: "b"))
    }
}
