import APNs
import Synchronization

/// Requests for many devices, made before the clock starts.
struct Notifications: Sendable {
    let requests: [APNsRequest]

    /// `count` notifications whose bodies are `bodyBytes` long (at least 60).
    init(_ count: Int, bodyBytes: Int) {
        let body = Self.body(bodyBytes)
        var random = SplitMix64(seed: 4)
        requests = (0..<count).map { _ in
            let token = String(decoding: random.hexadecimal(64), as: UTF8.self)
            let transaction = String(decoding: random.hexadecimal(64), as: UTF8.self)
            return APNsRequest(
                deviceToken: token, payload: body,
                id: NotificationID.make(network: "mainnet", transactionID: transaction, deviceToken: token),
                collapseID: transaction, expiration: 4_000_000_000)
        }
    }

    static func body(_ count: Int) -> [UInt8] {
        let head = Array(#"{"aps":{"alert":"New Message"},"kasia":{"payload":""#.utf8)
        let tail = Array(#""}}"#.utf8)
        return head + [UInt8](repeating: UInt8(ascii: "7"), count: max(0, count - head.count - tail.count)) + tail
    }

    /// Sends all, `concurrency` at a time.
    ///
    /// - Throws: ``BenchmarkError`` for the first that is not delivered.
    func send(through client: APNsClient, concurrency: Int) async throws {
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    while let index = counter.next(below: requests.count) {
                        let outcome = await client.send(requests[index])
                        guard case .delivered = outcome else {
                            throw BenchmarkError("A notification was not delivered: \(outcome.label)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Hands out 0, 1, 2 … to many tasks.
    final class Counter: Sendable {
        private let value = Atomic(0)

        func next(below limit: Int) -> Int? {
            let index = value.add(1, ordering: .relaxed).oldValue
            return index < limit ? index : nil
        }
    }
}
