import Foundation
import KasiaPushClient
import Testing

@Suite(.timeLimit(.minutes(5))) struct ActivityFeedTests {
    private let taken = TransportAnswer(
        status: 503, headers: TransportHeaders(["Retry-After": "20"]),
        body: Data(#"{"error":"all streams are taken","code":"unavailable"}"#.utf8))
    private let invalid = TransportAnswer(
        status: 400, body: Data(#"{"error":"address is none","code":"invalid_request"}"#.utf8))

    // MARK: Loading

    @Test("The stream is opened first, so that nothing falls between it and the pages")
    func streamFirst() async throws {
        let setting = try FeedSetting()
        for number in 1...3 { await setting.service.put(.numbered(number)) }
        #expect(await setting.feed.snapshot.phase == .loading)
        #expect(await setting.feed.snapshot.connection == .idle)
        try await setting.run {
            let snapshot = try await setting.snapshot { $0.connection == .live }
            #expect(snapshot.items.map(\.amount) == [3, 2, 1])
            #expect(snapshot.phase == .list && !snapshot.hasMore)
            #expect(await setting.service.requests == ["stream new", "page newest"])
        }
    }

    @Test("An address without activity is empty")
    func emptyAddress() async throws {
        let setting = try FeedSetting()
        try await setting.run {
            let snapshot = try await setting.snapshot { $0.connection == .live }
            #expect(snapshot.phase == .empty)
        }
    }

    @Test("Changes come in as they happen, once each")
    func liveChanges() async throws {
        let setting = try FeedSetting()
        await setting.service.put(.numbered(1, .pending))
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.put(.numbered(2, .pending))
            await setting.service.put(.numbered(1, .accepted))
            await setting.service.put(.numbered(2, at: 5, .accepted))
            let snapshot = try await setting.snapshot { $0.items.last?.blockTime == 5 }
            #expect(snapshot.items == [.numbered(1, .accepted), .numbered(2, at: 5, .accepted)])
            await setting.service.remove(ActivityItem.numbered(1).id)
            try await setting.snapshot { $0.items.count == 1 }
            #expect(await setting.service.requests.count == 2)
        }
    }

    @Test("A filter holds for pages and for what the stream tells")
    func filter() async throws {
        let setting = try FeedSetting(filter: ActivityFilter(includesTransfers: true, statuses: [.pending]))
        await setting.service.put(.numbered(1, .pending))
        await setting.service.put(.numbered(2))
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            #expect(await setting.numbers == [1])
            await setting.service.put(.numbered(3))
            await setting.service.put(.numbered(4, .pending, type: .transfer))
            try await setting.snapshot { $0.items.map(\.amount) == [4, 1] }
            await setting.service.put(.numbered(1, .accepted))
            try await setting.snapshot { $0.items.map(\.amount) == [4] }
        }
    }

    // MARK: Older items

    @Test("Older items are loaded until there are none")
    func olderItems() async throws {
        let setting = try FeedSetting()
        for number in 0..<250 { await setting.service.put(.numbered(number)) }
        try await setting.run {
            var snapshot = try await setting.snapshot { $0.connection == .live }
            #expect(snapshot.items.count == 100 && snapshot.hasMore)
            await setting.feed.loadMore()
            #expect(await setting.feed.snapshot.items.count == 200)
            await setting.feed.loadMore()
            snapshot = await setting.feed.snapshot
            #expect(snapshot.items.map(\.amount) == (0..<250).reversed())
            #expect(!snapshot.hasMore && !snapshot.isLoadingMore)
            let count = await setting.service.requests.count
            await setting.feed.loadMore()
            #expect(await setting.service.requests.count == count)
        }
    }

    @Test("What changes behind the oldest loaded item is shown once it is loaded")
    func changeBehindTheOldest() async throws {
        let setting = try FeedSetting()
        for number in 0..<250 { await setting.service.put(.numbered(number)) }
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.put(.numbered(100, .reverted))
            await setting.service.put(.numbered(1_000))
            let snapshot = try await setting.snapshot { $0.items.first?.amount == 1_000 }
            // No hole between 150 and 100.
            #expect(snapshot.items.last?.amount == 150)
            await setting.feed.loadMore()
            #expect(await setting.feed.snapshot.items.first { $0.amount == 100 }?.status == .reverted)
            #expect(await setting.feed.snapshot.items.count == 201)
        }
    }

    @Test("Pages that end early without an item are followed")
    func shortPages() async throws {
        let setting = try FeedSetting(filter: ActivityFilter(statuses: [.pending]))
        for number in 0..<100 { await setting.service.put(.numbered(number, number == 10 ? .pending : .confirmed)) }
        await setting.service.setLookedAt(3)
        try await setting.run {
            var snapshot = try await setting.snapshot { $0.connection == .live }
            #expect(snapshot.phase == .empty && snapshot.hasMore)
            #expect(await setting.service.requests.count == 21)
            await setting.feed.loadMore()
            snapshot = await setting.feed.snapshot
            #expect(snapshot.items.map(\.amount) == [10])
            #expect(snapshot.hasMore)
            await setting.feed.loadMore()
            #expect(await !setting.feed.snapshot.hasMore)
        }
    }

    @Test("A page that is older than what the stream told changes nothing of it")
    func pageOlderThanAnEvent() async throws {
        let setting = try FeedSetting()
        for number in 0..<200 { await setting.service.put(.numbered(number, .pending)) }
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.hold()
            await setting.service.forgetRequests()
            async let loading: Void = setting.feed.loadMore()
            await setting.service.waitForRequests(1)
            #expect(await setting.feed.snapshot.isLoadingMore)
            await setting.feed.loadMore()
            // The page is made, and on its way.
            await setting.service.put(.numbered(50, .accepted))
            await setting.service.remove(ActivityItem.numbered(51).id)
            await setting.service.put(.numbered(500))
            try await setting.snapshot { $0.items.first?.amount == 500 }
            await setting.service.release()
            await loading
            let snapshot = await setting.feed.snapshot
            #expect(snapshot.items == (await setting.service.list()))
            #expect(await setting.service.requests.count == 1)
        }
    }

    @Test("Older items that cannot be loaded leave the list as it is")
    func olderItemsRefused() async throws {
        let setting = try FeedSetting()
        for number in 0..<150 { await setting.service.put(.numbered(number)) }
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.refuse(streams: nil, pages: taken)
            await setting.feed.loadMore()
            var snapshot = await setting.feed.snapshot
            #expect(snapshot.loadMoreError?.status == 503)
            #expect(snapshot.items.count == 100 && snapshot.hasMore && snapshot.connection == .live)
            await setting.service.refuse(streams: nil)
            await setting.feed.loadMore()
            snapshot = await setting.feed.snapshot
            #expect(snapshot.loadMoreError == nil && snapshot.items.count == 150)
        }
    }

    // MARK: Going on

    @Test("A stream that was cut goes on from the last event")
    func cutStream() async throws {
        let setting = try FeedSetting()
        await setting.service.put(.numbered(1))
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.put(.numbered(2))
            try await setting.snapshot { $0.items.count == 2 }
            await setting.service.forgetRequests()
            // Half an event, and the end.
            await setting.service.send("id: 9-00000000\nevent: activity\ndata: {")
            await setting.service.endStreams(.unreachable("cut"))
            #expect(await setting.sleeper.nextPause() == .seconds(1))
            #expect(await setting.feed.snapshot.connection == .connecting)
            await setting.service.put(.numbered(3))
            await setting.service.remove(ActivityItem.numbered(1).id)
            await setting.sleeper.wakeAll()
            let snapshot = try await setting.snapshot { $0.connection == .live && $0.items.first?.amount == 3 }
            _ = try await setting.snapshot { $0.items.map(\.amount) == [3, 2] }
            #expect(snapshot.isLoaded)
            #expect(await setting.service.requests == ["stream 2-00000000"])
        }
    }

    @Test("After a reset the pages say what is there")
    func reset() async throws {
        let setting = try FeedSetting()
        let minute: UInt64 = 60_000
        for number in 0..<90 {
            let status: ActivityStatus = number == 1 || number == 2 ? .pending : .confirmed
            await setting.service.put(.numbered(number, at: UInt64(number) * minute, status))
        }
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.beat()
            await setting.service.endStreams()
            #expect(await setting.sleeper.nextPause() == .seconds(1))
            for number in 100..<160 { await setting.service.put(.numbered(number, at: UInt64(number) * minute)) }
            await setting.service.put(.numbered(1, at: minute, .accepted))
            await setting.service.remove(ActivityItem.numbered(2).id)
            await setting.service.remove(ActivityItem.numbered(89).id)
            await setting.service.forgetLog()
            await setting.service.forgetRequests()
            await setting.sleeper.wakeAll()
            let expected = await setting.service.list()
            try await setting.snapshot { $0.items == expected && $0.connection == .live }
            // One page reaches behind what can be new; two pending items are older.
            #expect(await setting.service.requests == ["stream 90-00000000", "page newest", "refresh"])
        }
    }

    @Test("A gap of very many items begins the list anew")
    func largeGap() async throws {
        let setting = try FeedSetting()
        for number in 0..<100 { await setting.service.put(.numbered(number)) }
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.beat()
            await setting.service.endStreams()
            _ = await setting.sleeper.nextPause()
            for number in 0..<3_000 { await setting.service.put(.numbered(10_000 + number)) }
            await setting.service.forgetLog()
            await setting.sleeper.wakeAll()
            try await setting.snapshot { $0.items.count == 2_000 && $0.hasMore }
            while await setting.feed.snapshot.hasMore { await setting.feed.loadMore() }
            #expect(await setting.feed.snapshot.items == (await setting.service.list()))
        }
    }

    @Test("A page of the list before a gap makes no hole in the list after it")
    func pageFromBeforeAGap() async throws {
        let setting = try FeedSetting()
        for number in 0..<300 { await setting.service.put(.numbered(number)) }
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.beat()
            await setting.service.hold()
            await setting.service.forgetRequests()
            async let loading: Void = setting.feed.loadMore()
            await setting.service.waitForRequests(1)
            await setting.service.hold(false)
            await setting.service.endStreams()
            _ = await setting.sleeper.nextPause()
            for number in 0..<3_000 { await setting.service.put(.numbered(10_000 + number)) }
            await setting.service.forgetLog()
            await setting.sleeper.wakeAll()
            try await setting.snapshot { $0.items.count == 2_000 }
            await setting.service.release()
            await loading
            #expect(await setting.numbers == (10_900..<13_000).reversed())
            #expect(await setting.feed.snapshot.hasMore)
        }
    }

    @Test("A page that was asked for before a reset changes nothing of what came after it")
    func pageFromBeforeAReset() async throws {
        let setting = try FeedSetting()
        for number in 0..<250 {
            let status: ActivityStatus = number == 100 ? .accepted : .confirmed
            await setting.service.put(.numbered(number, at: UInt64(number) * 60_000, status))
        }
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.beat()
            await setting.service.hold()
            await setting.service.forgetRequests()
            async let loading: Void = setting.feed.loadMore()
            await setting.service.waitForRequests(1)
            await setting.service.hold(false)
            await setting.service.endStreams()
            _ = await setting.sleeper.nextPause()
            await setting.service.put(.numbered(100, at: 6_000_000, .confirmed))
            await setting.service.put(.numbered(300, at: 18_000_000))
            await setting.service.forgetLog()
            await setting.sleeper.wakeAll()
            try await setting.snapshot { $0.items.first?.amount == 300 && $0.connection == .live }
            // The page is one of the time when the item was not confirmed.
            await setting.service.release()
            await loading
            let expected = await setting.service.list().prefix(201)
            #expect(await setting.feed.snapshot.items == Array(expected))
        }
    }

    @Test("What was saved is shown at once and goes on from there")
    func saved() async throws {
        let first = try FeedSetting()
        #expect(await first.feed.saved == nil)
        for number in 0..<150 { await first.service.put(.numbered(number)) }
        try await first.run { try await first.snapshot { $0.connection == .live } }
        let saved = try #require(await first.feed.saved)
        #expect(try JSONDecoder().decode(SavedActivity.self, from: JSONEncoder().encode(saved)) == saved)
        let second = try FeedSetting(saved: saved)
        for number in 0..<151 { await second.service.put(.numbered(number)) }
        var snapshot = await second.feed.snapshot
        #expect(snapshot.phase == .list && snapshot.items.count == 100 && snapshot.hasMore)
        try await second.run {
            snapshot = try await second.snapshot { $0.items.first?.amount == 150 }
            #expect(await second.service.requests == ["stream 150-00000000"])
            await second.feed.loadMore()
            #expect(await second.feed.snapshot.items == (await second.service.list()))
        }
        let other = try FeedSetting(filter: ActivityFilter(includesTransfers: true), saved: saved)
        #expect(await other.feed.snapshot.phase == .loading)
    }

    // MARK: Without a stream

    @Test("Without a stream pages are asked for every 5, 15, 30 seconds")
    func polling() async throws {
        let setting = try FeedSetting()
        await setting.service.put(.numbered(1, .pending))
        await setting.service.refuse(streams: taken)
        try await setting.run {
            for (number, pause) in [(2, 5), (3, 15), (4, 30), (5, 30)] {
                #expect(await setting.sleeper.nextPause() == .seconds(pause))
                #expect(await setting.feed.snapshot.connection == .polling)
                #expect(await setting.numbers == (1..<UInt64(number)).reversed())
                await setting.service.put(.numbered(number))
                await setting.sleeper.wakeAll()
            }
            _ = await setting.sleeper.nextPause()
            // The stream is not tried within the 20 seconds that the service asked for.
            #expect(
                await setting.service.requests == [
                    "stream new", "page newest", "page newest", "stream new", "page newest", "stream new",
                    "page newest", "stream new", "page newest",
                ])
            await setting.service.refuse(streams: nil)
            await setting.service.remove(ActivityItem.numbered(3).id)
            await setting.sleeper.wakeAll()
            let snapshot = try await setting.snapshot { $0.connection == .live }
            #expect(snapshot.items.map(\.amount) == [5, 4, 2, 1])
        }
    }

    @Test("A stream that ends before it shows any life is no stream")
    func lifelessStream() async throws {
        let setting = try FeedSetting()
        try await setting.run {
            for pause in [5, 15, 30] {
                try await setting.snapshot { $0.connection == .live }
                await setting.service.endStreams()
                #expect(await setting.sleeper.nextPause() == .seconds(pause))
                #expect(await setting.feed.snapshot.connection == .polling)
                await setting.sleeper.wakeAll()
            }
        }
    }

    @Test("Offline the list stays, and comes back by itself")
    func offline() async throws {
        let setting = try FeedSetting()
        await setting.service.put(.numbered(1))
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            await setting.service.setOffline(true)
            #expect(await setting.sleeper.nextPause() == .seconds(5))
            let snapshot = await setting.feed.snapshot
            #expect(snapshot.items.map(\.amount) == [1] && snapshot.phase == .list)
            guard case .offline(let error) = snapshot.connection else {
                Issue.record("\(snapshot.connection)")
                return
            }
            #expect(error.kind == .unreachable)
            await setting.service.put(.numbered(2))
            await setting.service.setOffline(false)
            await setting.sleeper.wakeAll()
            try await setting.snapshot { $0.connection == .live && $0.items.count == 2 }
        }
    }

    @Test("What could not be loaded has failed, and is tried again at once on demand")
    func failedAndRetried() async throws {
        let setting = try FeedSetting()
        await setting.service.put(.numbered(1))
        await setting.service.setOffline(true)
        try await setting.run {
            #expect(await setting.sleeper.nextPause() == .seconds(5))
            guard case .failed = await setting.feed.snapshot.phase else {
                Issue.record("\(await setting.feed.snapshot)")
                return
            }
            await setting.service.setOffline(false)
            await setting.feed.reconnect()
            try await setting.snapshot { $0.connection == .live && $0.items.count == 1 }
        }
    }

    @Test("A refusal that waiting does not change waits for the user")
    func lastingRefusal() async throws {
        let setting = try FeedSetting()
        await setting.service.refuse(streams: invalid, pages: invalid)
        try await setting.run {
            let snapshot = try await setting.snapshot { $0.connection != .idle && $0.connection != .connecting }
            guard case .failed(let error) = snapshot.phase else {
                Issue.record("\(snapshot)")
                return
            }
            #expect(error.code == .invalidRequest)
            #expect(await setting.service.requests == ["stream new", "page newest"])
            await setting.service.refuse(streams: nil)
            await setting.feed.reconnect()
            try await setting.snapshot { $0.connection == .live }
        }
    }

    // MARK: Runs and readers

    @Test("A second run takes over from the first, and the end of it is idle")
    func secondRun() async throws {
        let setting = try FeedSetting()
        await withTaskGroup(of: Int.self) { group in
            group.addTask { [feed = setting.feed] in
                await feed.run()
                return 1
            }
            _ = try? await setting.snapshot { $0.connection == .live }
            group.addTask { [feed = setting.feed] in
                await feed.run()
                return 2
            }
            #expect(await group.next() == 1)
            _ = try? await setting.snapshot { $0.connection == .live }
            group.cancelAll()
            #expect(await group.next() == 2)
        }
        #expect(await setting.feed.snapshot.connection == .idle)
    }

    @Test("A slow reader gets the newest snapshot, and every reader gets it")
    func slowReader() async throws {
        let setting = try FeedSetting()
        try await setting.run {
            try await setting.snapshot { $0.connection == .live }
            let (slow, other) = (await setting.feed.snapshots(), await setting.feed.snapshots())
            for number in 1...100 { await setting.service.put(.numbered(number)) }
            try await setting.snapshot { $0.items.count == 100 }
            for stream in [slow, other] {
                for await snapshot in stream {
                    #expect(snapshot.items.count == 100)
                    break
                }
            }
        }
    }

    @Test("Snapshots end with the reading task")
    func cancelledReader() async throws {
        let setting = try FeedSetting()
        let stream = await setting.feed.snapshots()
        await withTaskGroup(of: Int.self) { group in
            let (first, sender) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                var count = 0
                for await _ in stream {
                    count += 1
                    sender.finish()
                }
                return count
            }
            for await _ in first {}
            group.cancelAll()
            #expect(await group.next() == 1)
        }
    }

    @Test("Thousands of items and as many changes are merged in time")
    func manyItems() async throws {
        let setting = try FeedSetting()
        for number in 0..<3_000 { await setting.service.put(.numbered(number, .pending)) }
        try await setting.run {
            let start = ContinuousClock.now
            try await setting.snapshot { $0.connection == .live }
            while await setting.feed.snapshot.hasMore { await setting.feed.loadMore() }
            for number in 0..<3_000 { await setting.service.put(.numbered(number, .accepted)) }
            let snapshot = try await setting.snapshot { $0.items.last?.status == .accepted }
            _ = try await setting.snapshot { $0.items.first?.status == .accepted }
            #expect(snapshot.items.count == 3_000)
            // With a pass over the list for each change this would take minutes.
            #expect(ContinuousClock.now - start < .seconds(120))
        }
    }
}
