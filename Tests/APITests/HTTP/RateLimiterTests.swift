import HTTPTypes
import HummingbirdTesting
import Testing

@testable import API

@Suite("Rate limit")
struct RateLimiterTests {
    let start = ContinuousClock.now

    @Test("so many in a minute and no more, then one for each part of a minute", arguments: [1, 2, 60, 1000])
    func allowance(perMinute: Int) {
        let buckets = TokenBuckets(perMinute: perMinute)
        for _ in 0..<perMinute { #expect(buckets.take([1], now: start) == nil) }
        let pause = Duration.seconds(60) / perMinute
        let wait = buckets.take([1], now: start)
        #expect(wait.map { abs($0 / pause - 1) < 0.001 } == true)
        #expect(buckets.take([1], now: start + pause * 0.99) != nil)
        #expect(buckets.take([1], now: start + pause * 1.01) == nil)
        #expect(buckets.take([1], now: start + pause * 1.02) != nil)
        #expect(buckets.take([2], now: start) == nil, "another client has its own allowance")
    }

    @Test("an allowance never grows beyond a minute's")
    func burst() {
        let buckets = TokenBuckets(perMinute: 3)
        for _ in 0..<3 { #expect(buckets.take([1], now: start) == nil) }
        let later = start + .seconds(86_400)
        for _ in 0..<3 { #expect(buckets.take([1], now: later) == nil) }
        #expect(buckets.take([1], now: later) != nil)
        #expect(buckets.take([1], now: later - .seconds(10)) != nil, "a clock that ran backwards gives nothing")
    }

    @Test("memory is bounded, and clients seen last are remembered")
    func bounded() {
        let buckets = TokenBuckets(perMinute: 1)
        func key(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let many = TokenBuckets.capacity * 2
        var most = 0
        for number in 0..<many {
            _ = buckets.take(key(number), now: start + .microseconds(number))
            most = max(most, buckets.count)
        }
        #expect(most == TokenBuckets.capacity)
        #expect(buckets.take(key(many - 1), now: start + .microseconds(many)) != nil)
        // When all of them are full again, they are the first to go.
        let later = start + .seconds(120)
        for number in 0..<TokenBuckets.capacity { _ = buckets.take(key(many + number), now: later) }
        #expect(buckets.count <= TokenBuckets.capacity)
    }

    @Test(
        "X-Forwarded-For is believed as far as trusted proxies wrote it",
        arguments: [
            ("203.0.113.9", "198.51.100.1", "203.0.113.9"), ("10.0.0.1", nil, "10.0.0.1"), ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.1", "198.51.100.1"), ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
            ("10.0.0.1", "192.0.2.7, 198.51.100.1", "198.51.100.1"), ("10.0.0.1", " 2001:db8::1 ", "2001:db8::1"),
            ("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "10.0.0.2"),
            ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"), ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", ",,,", "10.0.0.1"),
        ])
    func forwarded(remote: String, header: String?, client: String) throws {
        let proxies = TrustedProxies([try #require(AddressBlock("10.0.0.0/8"))])
        let found = proxies.client(remote: try #require(IPAddress(remote)), forwardedFor: header)
        #expect(found.description == client)
    }

    @Test(
        "the blocks around an address have more than it, and no more",
        arguments: [("2001:db8:0:%::1", 56, 4), ("2001:db8:0:%00::1", 48, 16), ("192.0.2.%", 24, 16)])
    func blocks(pattern: String, bits: Int, times: Int) throws {
        let limiter = RateLimiter(perMinute: 3, trustedProxies: [], now: { [start] in start })
        func take(_ number: Int) throws -> Bool {
            let text = pattern.replacing("%", with: pattern.contains(":") ? String(number, radix: 16) : "\(number)")
            return limiter.take(try #require(IPAddress(text))) == nil
        }
        for number in 1...times {
            for _ in 0..<3 { #expect(try take(number)) }
            #expect(try !take(number), "its own is used up")
        }
        #expect(try !take(times + 1), "that of the /\(bits) is used up")
        #expect(limiter.take(try #require(IPAddress("2001:db8:1::1"))) == nil)
        #expect(limiter.take(try #require(IPAddress("192.0.3.1"))) == nil)
    }

    @Test("an IPv6 client is its /64, an IPv4 client its address")
    func keys() throws {
        func key(_ text: String) throws -> [UInt8] { try #require(IPAddress(text)).limitKey }
        #expect(try key("2001:db8:0:1::1") == key("2001:db8:0:1:ffff::"))
        #expect(try key("2001:db8:0:1::1") != key("2001:db8:0:2::1"))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
        #expect(try key("::ffff:192.0.2.1") == key("192.0.2.1"))
    }

    @Test(
        "the change after the last allowed one is 429 with Retry-After; reading is not limited", .timeLimit(.minutes(5))
    )
    func overTheWire() async throws {
        try await TestService(rateLimitPerMinute: 3).run(.live) { client in
            expectDone(try await client.register())
            #expect(try await client.register(["platform": 1]).status == .badRequest, "counts too")
            expectDone(try await client.send(.delete, "/v1/push/unregister", ["device_token": token]))
            for (method, call) in UnsignedRequestTests.calls {
                let response = try await client.send(method, "/v1/push/\(call)", try registration())
                let wait = try #require(response.headers[.retryAfter].flatMap { Int($0) })
                #expect(wait == 20)
                try expect(response, .tooManyRequests, "try again in \(wait) s")
            }
            for _ in 0..<10 { #expect(try await client.status().status == .ok) }
            let spoofed = try await client.send(
                .post, "/v1/push/register", try registration(), headers: [.xForwardedFor: "198.51.100.1"])
            #expect(spoofed.status == .tooManyRequests, "nobody trusts this client's word")
        }
    }

    @Test("behind a trusted proxy each client has its own allowance", .timeLimit(.minutes(5)))
    func behindProxy() async throws {
        let proxies = try ["127.0.0.0/8", "::1"].map { try #require(AddressBlock($0)) }
        try await TestService(rateLimitPerMinute: 1, trustedProxies: proxies).run(.live) { client in
            for address in ["198.51.100.1", "198.51.100.2", "2001:db8:0:1::1", "2001:db8:0:2::1"] {
                let headers: HTTPFields = [.xForwardedFor: "192.0.2.1, \(address)"]
                expectDone(try await client.send(.post, "/v1/push/register", try registration(), headers: headers))
                let second = try await client.send(.post, "/v1/push/register", try registration(), headers: headers)
                #expect(second.status == .tooManyRequests)
            }
            let neighbour = try await client.send(
                .post, "/v1/push/register", try registration(), headers: [.xForwardedFor: "2001:db8:0:1:2::9"])
            #expect(neighbour.status == .tooManyRequests, "the same /64")
        }
    }

    @Test("no limit is no limit", .timeLimit(.minutes(5)))
    func unlimited() async throws {
        try await TestService(rateLimitPerMinute: 0).run(.live) { client in
            for _ in 0..<100 { expectDone(try await client.register()) }
        }
    }
}
