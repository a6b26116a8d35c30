import KasiaPushStore

/// The app: takes messages and confirms them one by one.
struct Taker {
    let store: PushStore

    func run(now: Int64) async throws {
        while true {
            if try await store.pending.count() == 0 {
                await waitForTheOther()
            } else {
                try await takeAndConfirm(now: now)
            }
        }
    }

    /// Until nothing is left, whoever took it before.
    func drain() async throws {
        try await store.pending.giveBackAll()
        while try await store.pending.count() > 0 { try await takeAndConfirm(now: 0) }
    }

    private func takeAndConfirm(now: Int64) async throws {
        let taken = try await store.pending.take(now: now)
        if taken.dropped > 0 { say("failed \(taken.dropped) messages were dropped") }
        for message in taken.messages {
            let number = Int64(message.transactionID, radix: 16) ?? -1
            say("took \(number)")
            try await store.pending.confirm([message.transactionID])
            say("confirmed \(number)")
        }
    }
}
