import KasiaPushStore

/// The extension: adds messages, one after the other, and writes to the other tables in between.
struct Adder {
    /// Stays below the store's 100, so that no message is dropped.
    static let messagesAhead = 90
    /// So many messages later the same transaction is pushed once more, mostly after the app has confirmed it.
    static let secondPushAfter: Int64 = 5

    struct NotEndedError: Error {}

    let store: PushStore

    func run(first: Int64) async throws {
        for number in first... {
            while try await store.pending.count() >= Adder.messagesAhead { await waitForTheOther() }
            let id = transactionID(number)
            if number.isMultiple(of: 3) {
                _ = try await store.pending.add(PendingMessage(transactionID: id, receivedAt: number))
            }
            let opened = PendingMessage(transactionID: id, text: "text \(number)", receivedAt: number)
            _ = try await store.pending.add(opened)
            say("added \(number)")
            if number >= first + Adder.secondPushAfter {
                let second = transactionID(number - Adder.secondPushAfter)
                _ = try await store.pending.add(
                    PendingMessage(transactionID: second, text: "again", receivedAt: number))
            }
            if number.isMultiple(of: 4) { try await send(id, number) }
            if number.isMultiple(of: 16) { try await signOut(number) }
        }
    }

    private func send(_ id: String, _ number: Int64) async throws {
        let app = AppMetadata(domain: "example.com", uri: "https://example.com/\(number % 3)", scheme: "https")
        _ = try await store.activity.record(
            SentTransaction(transactionID: id, app: app, method: "send", address: "kaspa:q", sentAt: number))
        say("sent \(number)")
        _ = try await store.activity.apply([id: .accepted], now: number)
        say("pending \(number)")
    }

    /// Signs an address out while the service is out of reach: the intent stays.
    private func signOut(_ number: Int64) async throws {
        let address = "kaspa:\(number)"
        let device = ConnectedPeer.device("desktop")
        try await store.connections.connect(
            PeerConnection(peer: device, address: address, methods: ["send"], connectedAt: number))
        _ = try await store.connections.signOut(address, now: number) { _ in
            say("intent \(number)")
            throw NotEndedError()
        }
    }
}
