import APNs
import Clocks
import Crypto
import Foundation
import Synchronization
import Testing

@Suite("Provider token source", .timeLimit(.minutes(5)))
struct ProviderTokenSourceTests {
    private let key = P256.Signing.PrivateKey()
    private let storage = MemoryStorage()
    private let clock = FakeClock()

    private func source(
        team: String = "TEAM123456", key keyID: String = "KEY1234567", pem: String? = nil
    ) throws -> ProviderTokenSource {
        try ProviderTokenSource(
            teamID: team, keyID: keyID, privateKeyPEM: pem ?? key.pemRepresentation, storage: storage,
            time: clock.time)
    }

    @Test("makes the JWT Apple asks for: ES256, the key id, the team, and the time as a number")
    func shape() async throws {
        let jwt = try await source().current().jwt
        let parts = jwt.split(separator: ".")
        #expect(parts.count == 3)
        func json(_ part: Substring) throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: decoded(part)) as? [String: Any])
        }
        let header = try json(parts[0])
        #expect(header["alg"] as? String == "ES256")
        #expect(header["kid"] as? String == "KEY1234567")
        let claims = try json(parts[1])
        #expect(Set(claims.keys) == ["iss", "iat"])
        #expect(claims["iss"] as? String == "TEAM123456")
        #expect(claims["iat"] as? Int == 1_700_000_000)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: decoded(parts[2]))
        #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    }

    private func decoded(_ part: Substring) throws -> Data {
        var base64 = String(part).replacing("-", with: "+").replacing("_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        return try #require(Data(base64Encoded: base64))
    }

    @Test("keeps a token for 45 minutes", arguments: [(2699, true), (2700, false), (2701, false)])
    func renewal(seconds: Int, isKept: Bool) async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(seconds)
        #expect(try await (source.current() == first) == isKept)
    }

    @Test("mints once for all who ask at the same time")
    func singleFlight() async throws {
        let source = try source()
        let tokens = try await withThrowingTaskGroup(of: ProviderToken.self) { group in
            for _ in 0..<100 { group.addTask { try await source.current() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(storage.saves == 1)
        #expect(storage.loads == 1)
    }

    @Test(
        "uses the stored token after a restart, until its time has come",
        arguments: [(0, true), (2699, true), (2700, false)])
    func restart(seconds: Int, isKept: Bool) async throws {
        let first = try await source().current()
        clock.advance(seconds)
        let second = try source()
        #expect(try await (second.current() == first) == isKept)
        clock.advance(isKept ? 2700 - seconds : 2700)
        #expect(try await second.current() != first)
    }

    @Test("takes the one that another process has minted meanwhile, also after Apple has called its own expired")
    func otherProcess() async throws {
        let (one, other) = (try source(), try source())
        let first = try await one.current()
        #expect(try await other.current() == first)
        clock.advance(2700)
        let second = try await one.current()
        #expect(try await other.current() == second && storage.saves == 2)
        clock.advance(1200)
        guard case .renewed(let third) = try await one.renew(after: second.jwt) else {
            Issue.record("it is not renewed")
            return
        }
        // Young as it is, it is another one.
        #expect(try await other.renew(after: second.jwt) == .renewed(third) && storage.saves == 3)
        #expect(try await other.renew(after: third.jwt) == .tooEarly(retryAfter: .seconds(1200)))
    }

    @Test("replaces what a process with another key has left meanwhile")
    func otherKeyMeanwhile() async throws {
        let one = try source()
        let first = try await one.current()
        let other = try await source(key: "OTHER").current()
        clock.advance(2700)
        let second = try await one.current()
        #expect(second != first && second != other && storage.stored?.jwt == second.jwt)
    }

    @Test("does not use a stored token of another team, key id or key")
    func otherKey() async throws {
        let first = try await source().current()
        #expect(try await source(team: "OTHER").current().jwt != first.jwt)
        let second = try await source(key: "OTHER").current()
        #expect(try await source(key: "OTHER", pem: P256.Signing.PrivateKey().pemRepresentation).current() != second)
    }

    @Test(
        "replaces a stored token from the future, unless it is only a little skewed",
        arguments: [(-59, true), (-60, true), (-61, false), (-7200, false)])
    func future(seconds: Int, isKept: Bool) async throws {
        let first = try await source().current()
        clock.jump(seconds)
        #expect(try await (source().current() == first) == isKept)
    }

    @Test("does not mind a wall clock that jumps while it runs", arguments: [-7200, 7200])
    func jump(seconds: Int) async throws {
        let source = try source()
        let first = try await source.current()
        clock.jump(seconds)
        #expect(try await source.current() == first)
        clock.advance(2700)
        let second = try await source.current()
        #expect(second != first)
        #expect(second.issuedAt == UInt64(1_700_000_000 + seconds + 2700))
    }

    @Test(
        "renews a rejected token only when 20 minutes have passed",
        arguments: [(0, false), (1199, false), (1200, true), (1201, true)])
    func renew(seconds: Int, isRenewed: Bool) async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(seconds)
        switch try await source.renew(after: first.jwt) {
        case .renewed(let token):
            #expect(isRenewed)
            #expect(token != first)
            #expect(try await source.current() == token)
        case .tooEarly(let retryAfter):
            #expect(!isRenewed)
            #expect(retryAfter == .seconds(1200 - seconds))
            #expect(try await source.current() == first)
        }
    }

    @Test(
        "replaces at once a rejected token that was made before the clock was set, once for each time it is",
        arguments: [7200, -7200])
    func clockSet(seconds: Int) async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(1)
        clock.jump(seconds)
        let second = try #require(try await source.renew(after: first.jwt).token)
        #expect(second.issuedAt == UInt64(clock.unixSeconds))
        #expect(try await source.current() == second)
        #expect(try await source.renew(after: first.jwt) == .renewed(second))
        #expect(try await source.renew(after: second.jwt) == .tooEarly(retryAfter: .seconds(1200)))
        #expect(try await source.replaceIfClockWasSet(after: second.jwt) == nil)
        #expect(storage.saves == 2)
        clock.jump(seconds)
        let third = try #require(try await source.renew(after: second.jwt).token)
        #expect(third.issuedAt == UInt64(clock.unixSeconds))
    }

    @Test(
        "takes a minute between the clocks for their drift, and more for a jump",
        arguments: [
            (0, false), (59, false), (60, false), (61, true), (-59, false), (-60, false), (-61, true),
        ])
    func clockDrift(seconds: Int, isReplaced: Bool) async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(300)
        clock.jump(seconds)
        #expect(try await (source.replaceIfClockWasSet(after: first.jwt) != nil) == isReplaced)
        #expect(try await (source.renew(after: first.jwt) == .tooEarly(retryAfter: .seconds(900))) == !isReplaced)
        #expect(storage.saves == (isReplaced ? 2 : 1))
    }

    @Test("keeps a token that is called invalid while the clock is steady, however old it is")
    func invalid() async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(2000)
        #expect(try await source.replaceIfClockWasSet(after: first.jwt) == nil)
        #expect(try await source.current() == first)
        #expect(storage.saves == 1)
    }

    @Test("has the current token for one who comes with an older one that was called invalid")
    func invalidAndOld() async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(2700)
        let second = try await source.current()
        #expect(try await source.replaceIfClockWasSet(after: first.jwt) == second)
        #expect(storage.saves == 2)
    }

    @Test("renews once when many are rejected together")
    func renewOnce() async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(1500)
        let renewals = try await withThrowingTaskGroup(of: ProviderTokenSource.Renewal.self) { group in
            for _ in 0..<100 { group.addTask { try await source.renew(after: first.jwt) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let current = try await source.current()
        #expect(renewals.allSatisfy { $0 == .renewed(current) })
        #expect(storage.saves == 2)
    }

    @Test("keeps to the 20 minutes across a restart")
    func renewAfterRestart() async throws {
        let first = try await source().current()
        clock.advance(600)
        #expect(try await source().renew(after: first.jwt) == .tooEarly(retryAfter: .seconds(600)))
    }

    @Test("does not use a token that could not be stored, and tries again")
    func saveFails() async throws {
        let source = try source()
        storage.failsToSave = true
        let error = await #expect(throws: ProviderTokenError.self) { try await source.current() }
        #expect(error?.code == .storage)
        storage.failsToSave = false
        let token = try await source.current()
        #expect(storage.stored?.jwt == token.jwt)
    }

    @Test("does not mint while it cannot know when it last did")
    func loadFails() async throws {
        let source = try source()
        storage.failsToLoad = true
        let error = await #expect(throws: ProviderTokenError.self) { try await source.current() }
        #expect(error?.code == .storage)
        #expect(storage.saves == 0)
        storage.failsToLoad = false
        _ = try await source.current()
    }

    @Test(
        "refuses identifiers that are not letters and digits",
        arguments: ["", "a b", "ä", String(repeating: "A", count: 65)])
    func identifiers(text: String) throws {
        for attempt in [{ try source(team: text) }, { try source(key: text) }] {
            let error = #expect(throws: ProviderTokenError.self) { try attempt() }
            #expect(error?.code == .invalidIdentifier)
        }
    }

    @Test("hides the JWT in descriptions")
    func descriptions() async throws {
        let token = try await source().current()
        let stored = try #require(storage.stored)
        for text in ["\(token)", "\(stored)", String(reflecting: token), String(reflecting: stored)] {
            #expect(!text.contains(token.jwt.prefix(12)))
        }
    }
}

extension ProviderTokenSource.Renewal {
    /// The token, if there is another.
    fileprivate var token: ProviderToken? { if case .renewed(let token) = self { token } else { nil } }
}

/// Storage that a test can look into and break.
final class MemoryStorage: ProviderTokenStorage {
    struct Broken: Error {}
    private struct State {
        var stored: StoredProviderToken?
        var loads = 0
        var saves = 0
        var failsToLoad = false
        var failsToSave = false
    }
    private let state = Mutex(State())

    var stored: StoredProviderToken? {
        get { state.withLock { $0.stored } }
        set { state.withLock { $0.stored = newValue } }
    }
    var loads: Int { state.withLock { $0.loads } }
    var saves: Int { state.withLock { $0.saves } }
    var failsToLoad: Bool {
        get { state.withLock { $0.failsToLoad } }
        set { state.withLock { $0.failsToLoad = newValue } }
    }
    var failsToSave: Bool {
        get { state.withLock { $0.failsToSave } }
        set { state.withLock { $0.failsToSave = newValue } }
    }

    func load() async throws -> StoredProviderToken? {
        await Task.yield()
        return try state.withLock { state in
            if state.failsToLoad { throw Broken() }
            state.loads += 1
            return state.stored
        }
    }

    func save(_ token: StoredProviderToken, replacing old: StoredProviderToken?) async throws -> StoredProviderToken {
        await Task.yield()
        return try state.withLock { state in
            if state.failsToSave { throw Broken() }
            // Another process was faster.
            if let present = state.stored, present != old { return present }
            state.saves += 1
            state.stored = token
            return token
        }
    }
}

/// Two clocks that go only when told to.
final class FakeClock: Sendable {
    private let state: Mutex<(wall: Int, uptime: Int)>

    init(wall: Int = 1_700_000_000) { state = Mutex((wall, 1000)) }

    /// Time passes.
    func advance(_ seconds: Int) { state.withLock { $0 = ($0.wall + seconds, $0.uptime + seconds) } }
    /// Somebody sets the wall clock.
    func jump(_ seconds: Int) { state.withLock { $0.wall += seconds } }

    var unixSeconds: Int { state.withLock { $0.wall } }

    var time: MachineClock {
        MachineClock(
            wall: { UInt64(self.state.withLock { $0.wall }) * 1_000 },
            uptime: { UInt64(self.state.withLock { $0.uptime }) * 1_000 })
    }
}
