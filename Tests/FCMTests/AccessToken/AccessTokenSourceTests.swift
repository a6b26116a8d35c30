import HTTP2Client
import Testing

@testable import FCM

@Suite("Access token source", .timeLimit(.minutes(5)))
struct AccessTokenSourceTests {
    private let clock = ManualClock()
    private let endpoint = ScriptedEndpoint { number, _ in .token("t\(number)") }

    private func source() throws -> AccessTokenSource {
        AccessTokenSource(try SampleAccount.account(), clock: clock.machine) { [endpoint] in
            await endpoint.exchange($0)
        }
    }

    private func value(_ source: AccessTokenSource) async throws -> String { try await source.current().value }

    @Test("asks for nothing before a token is needed, and then keeps it in memory")
    func keeps() async throws {
        let source = try source()
        #expect(source.tokenAtHand == nil)
        #expect(!source.shouldRenew())
        #expect(endpoint.requests.isEmpty)
        #expect(try await value(source) == "t1")
        #expect(try await value(source) == "t1")
        #expect(source.tokenAtHand?.value == "t1")
        #expect(source.remaining == .seconds(3_600))
        #expect(endpoint.requests.count == 1)
    }

    @Test("asks once for all who wait")
    func singleFlight() async throws {
        let source = try source()
        endpoint.hold()
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await source.current().value } }
            await endpoint.holds()
            endpoint.release()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values == ["t1"])
        #expect(endpoint.requests.count == 1)
    }

    @Test("fails once for all who wait")
    func singleFailure() async throws {
        let source = try source()
        endpoint.set { _, _ in .answer(400, #"{"error":"invalid_grant"}"#) }
        endpoint.hold()
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do throws(AccessTokenError) {
                        _ = try await source.current()
                        return false
                    } catch {
                        return error.kind == .refused
                    }
                }
            }
            await endpoint.holds()
            endpoint.release()
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refusals == 100)
        #expect(endpoint.requests.count == 1)
    }

    @Test(
        "wants a renewal five minutes before the end",
        arguments: [(3_299_999, false), (3_300_000, true), (3_300_001, true)])
    func renewalTime(milliseconds: UInt64, isWanted: Bool) async throws {
        let source = try source()
        _ = try await source.current()
        clock.advance(milliseconds)
        #expect(source.shouldRenew() == isWanted)
        #expect(source.tokenAtHand?.value == "t1")
    }

    @Test("wants a renewal of a short-lived token in its middle", arguments: [(29_999, false), (30_000, true)])
    func shortLived(milliseconds: UInt64, isWanted: Bool) async throws {
        endpoint.set { number, _ in .token("t\(number)", seconds: 60) }
        let source = try source()
        _ = try await source.current()
        clock.advance(milliseconds)
        #expect(source.shouldRenew() == isWanted)
    }

    @Test("uses a token until its end", arguments: [(3_599_999, "t1"), (3_600_000, "t2"), (3_600_001, "t2")])
    func end(milliseconds: UInt64, token: String) async throws {
        let source = try source()
        _ = try await source.current()
        clock.advance(milliseconds)
        #expect((source.tokenAtHand != nil) == (token == "t1"))
        #expect(try await value(source) == token)
    }

    @Test("uses the old token while the next one is asked for, and tells one alone to ask")
    func renewal() async throws {
        let source = try source()
        _ = try await source.current()
        clock.advance(3_300_000)
        #expect(source.shouldRenew())
        #expect(!source.shouldRenew())
        endpoint.hold()
        async let renewal = source.renew()
        await endpoint.holds()
        #expect(!source.shouldRenew())
        #expect(try await value(source) == "t1")
        endpoint.release()
        #expect(await renewal == nil)
        #expect(try await value(source) == "t2")
        #expect(endpoint.requests.count == 2)
        #expect(await source.renew() == nil)
        #expect(endpoint.requests.count == 2)
    }

    @Test("keeps the old token when the renewal fails, and asks again after ten seconds")
    func failedRenewal() async throws {
        let source = try source()
        _ = try await source.current()
        clock.advance(3_300_000)
        endpoint.set { _, _ in .failed(.timeout) }
        #expect(source.shouldRenew())
        #expect(await source.renew()?.kind == .unavailable(nil))
        #expect(try await value(source) == "t1")
        for (milliseconds, isWanted) in [(9_999, false), (1, true)] as [(UInt64, Bool)] {
            clock.advance(milliseconds)
            #expect(source.shouldRenew() == isWanted)
        }
        endpoint.set { number, _ in .token("t\(number)") }
        #expect(await source.renew() == nil)
        #expect(try await value(source) == "t3")
    }

    @Test("asks Google no sooner than ten seconds after a failure, or than Google wants")
    func pause() async throws {
        for (retryAfter, wait) in [(nil, 10_000), ("5", 10_000), ("30", 30_000), ("86400", 600_000)]
            as [(String?, UInt64)]
        {
            let source = try source()
            let before = endpoint.requests.count
            endpoint.set { _, _ in .answer(503, retryAfter: retryAfter) }
            await #expect(throws: AccessTokenError.self) { try await source.current() }
            clock.advance(wait - 1)
            await #expect(throws: AccessTokenError.self) { try await source.current() }
            #expect(endpoint.requests.count == before + 1)
            clock.advance(1)
            endpoint.set { _, _ in .token("now") }
            #expect(try await value(source) == "now")
            #expect(endpoint.requests.count == before + 2)
        }
    }

    @Test("minds no jump of the wall clock", arguments: [-86_400, 86_400] as [Int64])
    func jump(seconds: Int64) async throws {
        let source = try source()
        _ = try await source.current()
        clock.jump(seconds)
        #expect(try await value(source) == "t1")
        clock.advance(3_299_999)
        #expect(!source.shouldRenew())
        clock.advance(1)
        #expect(source.shouldRenew())
        clock.advance(300_000)
        #expect(try await value(source) == "t2")
    }

    @Test("reckons a token's end from before it was asked for")
    func slowAnswer() async throws {
        let source = try source()
        endpoint.hold()
        async let token = source.current()
        await endpoint.holds()
        clock.advance(20_000)
        endpoint.release()
        _ = try await token
        #expect(source.remaining == .seconds(3_580))
    }

    @Test("replaces a token that was refused, unless it is only just there", arguments: [(9_999, nil), (10_000, "t2")])
    func refused(milliseconds: UInt64, successor: String?) async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(milliseconds)
        #expect(try await source.replacement(for: first)?.value == successor)
        #expect(try await value(source) == successor ?? "t1")
    }

    @Test("has the current token for one who comes with an older one")
    func refusedOlder() async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(10_000)
        let second = try await source.replacement(for: first)
        #expect(try await source.replacement(for: first) == second)
        #expect(endpoint.requests.count == 2)
    }

    @Test("does not go back to a token that was refused when no other is to be had")
    func refusedForGood() async throws {
        let source = try source()
        let first = try await source.current()
        clock.advance(10_000)
        endpoint.set { _, _ in .failed(.refused) }
        await #expect(throws: AccessTokenError.self) { try await source.replacement(for: first) }
        #expect(source.tokenAtHand == nil)
        await #expect(throws: AccessTokenError.self) { try await source.current() }
        #expect(endpoint.requests.count == 2)
    }
}
