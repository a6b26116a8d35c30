import Crypto
import Kaspa
import Store
import Testing

@testable import API

@Suite("Nonces")
struct NoncesTests {
    private func service() throws -> TestService {
        let service = try TestService()
        service.clock.value = 1_000_000
        return service
    }

    /// Checks and uses a nonce as a request does.
    private func take(_ challenge: Nonces.Challenge, _ nonces: Nonces, expiresAt: UInt64? = nil) async throws {
        try await nonces.use(try nonces.check(challenge.nonce, expiresAt: expiresAt ?? challenge.expiresAt))
    }

    @Test("a nonce is 32 hex digits, lives a minute, and no two are the same")
    func issue() async throws {
        let nonces = try service().nonces
        var seen: Set<String> = []
        for _ in 0..<1000 {
            let challenge = try await nonces.issue()
            #expect(challenge.nonce.count == 32 && challenge.nonce == challenge.nonce.lowercased())
            #expect(challenge.expiresAt == challenge.issuedAt + 60_000)
            seen.insert(challenge.nonce)
        }
        #expect(seen.count == 1000)
    }

    @Test("a nonce is 8 random bytes and the first 8 of HMAC-SHA256 over them and the expiry, in big-endian")
    func form() async throws {
        let service = try service()
        let challenge = try await service.nonces.issue()
        let bytes = try #require(Hex.decode(challenge.nonce))
        let key = try #require(try await service.store.registry.nonceKey())
        #expect(key.count == 32)
        let covered =
            Array(bytes.prefix(8)) + (0..<8).map { UInt8(truncatingIfNeeded: challenge.expiresAt >> (56 - 8 * $0)) }
        let code = HMAC<SHA256>.authenticationCode(for: covered, using: SymmetricKey(data: key))
        #expect(Array(bytes.suffix(8)) == Array(code.prefix(8)))
    }

    @Test(
        "a nonce is good until the end of its minute and not a millisecond longer", arguments: [59_999, 60_000, 60_001])
    func expiry(after milliseconds: UInt64) async throws {
        let service = try service()
        let challenge = try await service.nonces.issue()
        service.clock.value += milliseconds
        if milliseconds <= 60_000 {
            try await take(challenge, service.nonces)
        } else {
            await #expect(throws: Nonces.Refusal.expired) { try await take(challenge, service.nonces) }
        }
    }

    @Test("an expiry lies a minute ahead at most, though a clock was ahead before", arguments: [0, 1] as [UInt64])
    func clockFellBack(by milliseconds: UInt64) async throws {
        let service = try service()
        let challenge = try await service.nonces.issue()
        service.clock.value -= milliseconds
        if milliseconds == 0 {
            try await take(challenge, service.nonces)
        } else {
            await #expect(throws: Nonces.Refusal.unknown) { try await take(challenge, service.nonces) }
        }
    }

    @Test("an altered nonce and another expiry are unknown, a used one is used, and only success uses a nonce up")
    func refusals() async throws {
        let service = try service()
        let nonces = service.nonces
        await #expect(throws: Nonces.Refusal.unknown) {
            try await nonces.check(String(repeating: "0", count: 32), expiresAt: 1_000_000)
        }
        let challenge = try await nonces.issue()
        for expiry in [challenge.expiresAt - 1, challenge.expiresAt + 1, 0, .max] {
            await #expect(throws: Nonces.Refusal.unknown) { try await nonces.check(challenge.nonce, expiresAt: expiry) }
        }
        let bytes = try #require(Hex.decode(challenge.nonce))
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1
            await #expect(throws: Nonces.Refusal.unknown) {
                try await nonces.check(Hex.encode(altered), expiresAt: challenge.expiresAt)
            }
        }
        for nonce in ["", "00", challenge.nonce + "00"] {
            await #expect(throws: Nonces.Refusal.unknown) {
                try await nonces.check(nonce, expiresAt: challenge.expiresAt)
            }
        }
        #expect(try service.usedNonces() == 0)
        try await take(challenge, nonces)
        await #expect(throws: Nonces.Refusal.used) {
            try await nonces.check(challenge.nonce, expiresAt: challenge.expiresAt)
        }
        #expect(try service.usedNonces() == 1)
    }

    @Test("52,000 challenges of a stranger push out nobody's and leave nothing behind", .timeLimit(.minutes(5)))
    func flood() async throws {
        let service = try service()
        let honest = try await service.nonces.issue()
        for _ in 0..<52_000 { _ = try await service.nonces.issue() }
        #expect(try service.usedNonces() == 0)
        try await take(honest, service.nonces)
    }

    @Test("after a restart, and in another process with this key, open challenges are good and used ones are not")
    func restart() async throws {
        let service = try service()
        let (open, used) = (try await service.nonces.issue(), try await service.nonces.issue())
        try await take(used, service.nonces)
        let other = Nonces(storage: service.store.registry, now: { [clock = service.clock] in clock.value })
        await #expect(throws: Nonces.Refusal.used) { try await take(used, other) }
        try await take(open, other)
        await #expect(throws: Nonces.Refusal.used) { try await take(open, service.nonces) }
    }

    @Test("a nonce of another key is unknown")
    func otherKey() async throws {
        let (service, other) = (try service(), try service())
        let challenge = try await other.nonces.issue()
        await #expect(throws: Nonces.Refusal.unknown) {
            try await service.nonces.check(challenge.nonce, expiresAt: challenge.expiresAt)
        }
        _ = try await service.nonces.issue()
        await #expect(throws: Nonces.Refusal.unknown) {
            try await service.nonces.check(challenge.nonce, expiresAt: challenge.expiresAt)
        }
    }

    @Test("of many tasks that use one nonce at once, one succeeds", .timeLimit(.minutes(10)))
    func race() async throws {
        let nonces = try service().nonces
        for _ in 0..<100 {
            let challenge = try await nonces.issue()
            let use = try await nonces.check(challenge.nonce, expiresAt: challenge.expiresAt)
            let wins = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { (try? await nonces.use(use)) != nil }
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
