import KasiaPushClient
import TestRandom
import Testing

/// A feed through random changes, cuts, refusals and offline times: never a wrong list, and in the end the right one.
@Suite(.timeLimit(.minutes(5))) struct ActivityFeedSimulation {
    /// What an address sends and receives: new items have block times of the last ten minutes, as on the chain.
    private struct World {
        var random = SeededRandom()
        private var count = 0
        private var time: UInt64 = 10_000_000
        /// Those that may change, oldest first.
        private var open: [ActivityItem] = []

        /// Changes something on the service.
        mutating func change(_ service: ModelActivityService) async {
            time += .random(in: 0..<60_000, using: &random)
            guard !open.isEmpty, open.count > 60 || Bool.random(using: &random) else {
                count += 1
                let status: ActivityStatus = Bool.random(using: &random) ? .pending : .accepted
                let lateness = UInt64.random(in: 0..<500_000, using: &random)
                let type: ActivityType = count % 5 == 0 ? .transfer : .payment
                let item = ActivityItem.numbered(count, at: time - lateness, status, type: type)
                open.append(item)
                return await service.put(item)
            }
            let index = min(Int.random(in: 0..<open.count, using: &random), .random(in: 0..<open.count, using: &random))
            var item = open[index]
            let isLate = item.blockTime + 500_000 < time
            item.status =
                switch item.status {
                case .pending: .accepted
                case .accepted where Int.random(in: 0..<4, using: &random) == 0 && !isLate: .reverted
                case .accepted: .confirmed
                case _ where isLate: .confirmed
                default: .accepted
                }
            open[index] = item
            if item.status == .confirmed { open.remove(at: index) }
            guard item.status == .accepted, Int.random(in: 0..<4, using: &random) == 0 else {
                return await service.put(item)
            }
            open.remove(at: index)
            await service.remove(item.id)
        }
    }

    private static let filters = [
        ActivityFilter(), ActivityFilter(includesTransfers: true, statuses: [.pending, .accepted]),
    ]

    @Test("In the end the list is the service's", arguments: 0..<20)
    func endsWithTheServicesList(_ round: Int) async throws {
        var world = World()
        let comment: Comment = "seed \(world.random.seed), round \(round)"
        let filter = ActivityFeedSimulation.filters[round % 2]
        let setting = try FeedSetting(filter: filter)
        let service = setting.service
        for _ in 0..<500 { await world.change(service) }
        try await setting.run {
            for _ in 0..<300 {
                await step(setting, &world)
                check(await setting.feed.snapshot, comment)
            }
            await service.release()
            await service.refuse(streams: nil)
            await service.setOffline(false)
            await service.setLookedAt(.max)
            await setting.feed.reconnect()
            // What is told last is there once all is.
            let last = ActivityItem.numbered(999_999, at: .max / 2, .pending)
            await service.put(last)
            try await setting.snapshot { $0.connection == .live && $0.items.first == last }
            while await setting.feed.snapshot.hasMore { await setting.feed.loadMore() }
            let (items, expected) = (await setting.feed.snapshot.items, await service.list(filter))
            let (missing, extra) = (Set(expected).subtracting(items), Set(items).subtracting(expected))
            #expect(missing.map(\.amount) == [], comment)
            #expect(extra.map(\.amount) == [], comment)
            let isEqual = items == expected
            #expect(isEqual, comment)
        }
    }

    private func step(_ setting: FeedSetting, _ world: inout World) async {
        let service = setting.service
        let taken = TransportAnswer(status: 503, headers: TransportHeaders(["Retry-After": "3"]))
        switch Int.random(in: 0..<28, using: &world.random) {
        case 0: await service.endStreams()
        case 1: await service.endStreams(.timedOut)
        case 2: await service.setOffline(true)
        case 3, 4: await service.setOffline(false)
        case 5: await service.refuse(streams: taken)
        case 6: await service.refuse(streams: taken, pages: taken)
        case 7, 8: await service.refuse(streams: nil)
        case 9: await service.forgetLog()
        case 10: await service.hold()
        case 11, 12: await service.release()
        case 13: await setting.feed.reconnect()
        case 14: await service.setLookedAt([3, 40, .max].randomElement(using: &world.random) ?? .max)
        case 15:
            await service.release()
            await setting.feed.loadMore()
        case 16, 17, 18: await setting.sleeper.wakeAll()
        case 19: await service.beat()
        default: await world.change(service)
        }
        for _ in 0..<Int.random(in: 0..<20, using: &world.random) { await Task.yield() }
    }

    private func check(_ snapshot: ActivitySnapshot, _ comment: Comment) {
        let positions = snapshot.items.map { [$0.blockTime, $0.amount] }
        let isSorted = zip(positions, positions.dropFirst()).allSatisfy { $1.lexicographicallyPrecedes($0) }
        #expect(isSorted, comment)
        #expect(Set(snapshot.items.map(\.id)).count == positions.count, comment)
    }
}
