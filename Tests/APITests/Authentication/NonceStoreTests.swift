import Kaspa
import Synchronization
import Testing

@testable import API

@Suite("NonceStore")
struct NonceStoreTests {
    let clock = TestService.Box(1_000_000)

    private func store(capacity: Int = NonceStore.capacity) -> NonceStore {
        NonceStore(capacity: capacity, now: { [clock] in clock.value })
    }

    @Test("a nonce is 32 hex digits, lives a minute, and no two are the same")
    func issue() {
        let store = store()
        let challenges = (0..<1000).map { _ in store.issue() }
        #expect(Set(challenges.map(\.nonce)).count == 1000)
        for challenge in challenges {
            #expect(challenge.nonce.count == 32 && challenge.nonce == challenge.nonce.lowercased())
            #expect(challenge.expiresAt == challenge.issuedAt + 60_000)
        }
    }

    @Test(
        "a nonce is good until the end of its minute and not a millisecond longer", arguments: [59_999, 60_000, 60_001])
    func expiry(after milliseconds: UInt64) throws {
        let store = store()
        let challenge = store.issue()
        clock.value += milliseconds
        if milliseconds <= 60_000 {
            try store.take(challenge.nonce, expiresAt: challenge.expiresAt)
        } else {
            #expect(throws: NonceStore.Refusal.expired) {
                try store.take(challenge.nonce, expiresAt: challenge.expiresAt)
            }
        }
    }

    @Test("an unknown nonce, a used one and another expiry are told apart, and only success uses a nonce up")
    func refusals() throws {
        let store = store()
        let challenge = store.issue()
        for expiry in [challenge.expiresAt - 1, challenge.expiresAt + 1] {
            #expect(throws: NonceStore.Refusal.otherExpiry) { try store.take(challenge.nonce, expiresAt: expiry) }
        }
        #expect(throws: NonceStore.Refusal.unknown) {
            try store.take(String(repeating: "0", count: 32), expiresAt: challenge.expiresAt)
        }
        try store.take(challenge.nonce, expiresAt: challenge.expiresAt)
        #expect(throws: NonceStore.Refusal.unknown) {
            try store.take(challenge.nonce, expiresAt: challenge.expiresAt)
        }
    }

    @Test("the oldest give way", arguments: [1, 2, 3, 100])
    func oldest(capacity: Int) throws {
        let store = store(capacity: capacity)
        let challenges = (0...capacity).map { _ in store.issue() }
        #expect(store.counts.outstanding == capacity)
        #expect(throws: NonceStore.Refusal.unknown) {
            try store.take(challenges[0].nonce, expiresAt: challenges[0].expiresAt)
        }
        for challenge in challenges.dropFirst() { try store.take(challenge.nonce, expiresAt: challenge.expiresAt) }
        #expect(store.counts.outstanding == 0)
    }

    @Test("So many are outstanding at most, and using them up leaves nothing behind", .timeLimit(.minutes(5)))
    func bounded() throws {
        let store = store(capacity: 50_000)
        var last: [NonceStore.Challenge] = []
        for number in 0..<110_000 {
            let challenge = store.issue()
            if number >= 60_000 { last.append(challenge) }
        }
        #expect(store.counts.outstanding == 50_000)
        #expect(store.counts.remembered <= 110_000)
        for challenge in last { try store.take(challenge.nonce, expiresAt: challenge.expiresAt) }
        for _ in 0..<200_000 {
            let challenge = store.issue()
            try store.take(challenge.nonce, expiresAt: challenge.expiresAt)
        }
        #expect(store.counts.outstanding == 0)
        #expect(store.counts.remembered <= 1025)
        clock.value += 60_001
        _ = store.issue()
        #expect(store.counts.outstanding == 1)
    }

    @Test("of many tasks that use one nonce at once, one succeeds", .timeLimit(.minutes(10)))
    func race() async {
        let store = store()
        for _ in 0..<100 {
            let challenge = store.issue()
            let wins = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { (try? store.take(challenge.nonce, expiresAt: challenge.expiresAt)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    @Test("bytes are compared as a whole")
    func constantTime() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        for other in [[1, 2], [1, 2, 4], [0, 2, 3], [1, 2, 3, 0], []] as [[UInt8]] {
            #expect(!ConstantTime.equal([1, 2, 3], other))
        }
    }

    @Test(
        "base64 is read in both alphabets, padded or not, and nothing else is",
        arguments: [
            ("", [] as [UInt8]), ("/+8=", [0xff, 0xef]), ("_-8=", [0xff, 0xef]), ("_-8", [0xff, 0xef]),
            ("/+8", [0xff, 0xef]), ("AAAA", [0, 0, 0]), ("AA", [0]), ("A", nil), ("AA=", nil), ("A===", nil),
            ("AA A", nil), ("AA\n", nil), ("é", nil), ("====", nil), ("AAA=A", nil),
        ] as [(String, [UInt8]?)])
    func base64(text: String, bytes: [UInt8]?) {
        #expect(Base64Text.decode(text) == bytes)
    }
}
