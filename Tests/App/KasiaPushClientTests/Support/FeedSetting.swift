import Foundation
import KasiaPushClient
import Testing

/// A feed, the service that it asks, and the clock that it waits by.
struct FeedSetting {
    let service = ModelActivityService()
    let sleeper = Sleeper()
    let feed: ActivityFeed

    init(filter: ActivityFilter = ActivityFilter(), saved: SavedActivity? = nil) throws {
        let url = try #require(URL(string: "https://push.example"))
        let client = try #require(IndexerClient(baseURL: url, transport: service))
        feed = ActivityFeed(client: client, address: "kaspa:q", filter: filter, saved: saved) { [sleeper] in
            try await sleeper.sleep($0)
        }
    }

    /// Runs the feed while `body` runs.
    func run(_ body: () async throws -> Void) async rethrows {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [feed] in await feed.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    /// The next snapshot for which something holds; the present one counts.
    @discardableResult
    func snapshot(where holds: (ActivitySnapshot) -> Bool) async throws -> ActivitySnapshot {
        for await snapshot in await feed.snapshots() where holds(snapshot) { return snapshot }
        throw CancellationError()
    }

    /// The numbers of the feed's items, newest first.
    var numbers: [UInt64] {
        get async { await feed.snapshot.items.map(\.amount) }
    }
}

/// A clock that stands still until a test moves it.
actor Sleeper {
    private var sleeping: [(id: Int, pause: Duration, continuation: CheckedContinuation<Void, Never>)] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var count = 0

    func sleep(_ pause: Duration) async throws {
        count += 1
        let id = count
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume() }
                sleeping.append((id, pause, continuation))
                for waiter in waiting { waiter.resume() }
                waiting = []
            }
        } onCancel: {
            Task { await wake(id) }
        }
        try Task.checkCancellation()
    }

    /// Waits until somebody sleeps, and returns how long they want to.
    func nextPause() async -> Duration {
        while true {
            if let pause = sleeping.first?.pause { return pause }
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Ends the pauses of all that sleep.
    func wakeAll() {
        for sleeper in sleeping { sleeper.continuation.resume() }
        sleeping = []
    }

    private func wake(_ id: Int) {
        guard let index = sleeping.firstIndex(where: { $0.id == id }) else { return }
        sleeping.remove(at: index).continuation.resume()
    }
}
