import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Synchronization
import Testing

@testable import API

@Suite("The question whether an endpoint may be registered")
struct EndpointCheckTests {
    /// Notes what is asked, and refuses endpoints that end with `no`.
    private final class Asked: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock(\.self) }

        func check(_ endpoint: String, _ platform: DeviceRecord.Platform) -> String? {
            list.withLock { $0.append("\(platform.label) \(endpoint)") }
            return endpoint.hasSuffix("no") ? "is not allowed here" : nil
        }
    }

    private static func web(_ endpoint: String, _ platform: String = "web") throws -> [String: Any] {
        try registration([
            "device_token": nil, "platform": platform, "subscription": TestSubscription(endpoint: endpoint).json,
        ])
    }

    private static let register = "/v1/push/register"

    @Test("an endpoint is asked once, when it is new, by its platform")
    func once() async throws {
        let asked = Asked()
        let service = try TestService(checkEndpoint: { asked.check($0, $1) })
        try await service.run { client in
            expectDone(try await client.register())
            expectDone(try await client.register(["device_token": fcmToken, "platform": "android"]))
            #expect(asked.all == [])
            for _ in 0..<2 { expectDone(try await client.send(.post, Self.register, try Self.web("https://a"))) }
            for _ in 0..<2 {
                expectDone(try await client.send(.post, Self.register, try Self.web("https://b", "unifiedpush")))
            }
            expectDone(try await client.send(.put, "/v1/push/update", try Self.web("https://c", "unifiedpush")))
            #expect(asked.all == ["web https://a", "unifiedpush https://b", "web https://c"])
            expectDone(try await client.send(.post, "/v1/push/unregister", ["device_token": "https://a"]))
            expectDone(try await client.send(.post, Self.register, try Self.web("https://a")))
            #expect(asked.all.last == "web https://a" && asked.all.count == 4)
        }
    }

    @Test("a refused endpoint is 400 with the reason, and not stored")
    func refused() async throws {
        let asked = Asked()
        let service = try TestService(checkEndpoint: { asked.check($0, $1) })
        try await service.run { client in
            for platform in ["web", "unifiedpush"] {
                let response = try await client.send(.post, Self.register, try Self.web("https://no", platform))
                try expect(
                    response, .badRequest, "subscription.endpoint is not allowed here")
            }
            let update = try await client.send(.put, "/v1/push/update", try Self.web("https://no"))
            try expect(update, .badRequest, "subscription.endpoint is not allowed")
        }
        #expect(asked.all.count == 3)
        #expect(try await service.store.totals().devices == 0)
    }

    @Test("a token of Apple's that spells an endpoint, or a token of FCM, is none", arguments: [63, 64, 65])
    func spelledByApple(count: Int) async throws {
        let asked = Asked()
        let endpoint = Hex.encode(Array(("https://" + String(repeating: "x", count: 30) + ".no").utf8))
        let android = Hex.encode([UInt8](repeating: UInt8(ascii: "x"), count: count))
        try await TestService(checkEndpoint: { asked.check($0, $1) }).run { client in
            try expect(try await client.register(["device_token": endpoint]), .badRequest, "spells another token")
            let answer = try await client.register(["device_token": android])
            if count < 64 { expectDone(answer) } else { try expect(answer, .badRequest, "spells another token") }
        }
        #expect(asked.all.isEmpty)
    }

    @Test("who is refused for a signature, a limit or a missing carrier makes this server ask nobody")
    func strangers() async throws {
        let asked = Asked()
        let owner = try TestWallet("owner")
        try await TestService(mode: .strict, checkEndpoint: { asked.check($0, $1) }).run { client in
            try expect(
                try await client.send(.post, Self.register, try Self.web("https://a")), .unauthorized,
                "auth is required")
            var request = try await client.challenged(owner)
            (request.platform, request.subscription) = ("unifiedpush", TestSubscription(endpoint: "https://a"))
            request.addresses.removeLast()
            var body = try request.body()
            body["watched_addresses"] = try addresses(2)
            try expect(try await client.send(.post, Self.register, body), .unauthorized, "auth.signature is not valid")
        }
        try await TestService(carriers: [.apns, .fcm], checkEndpoint: { asked.check($0, $1) }).run { client in
            try expect(
                try await client.send(.post, Self.register, try Self.web("https://a")), .badRequest, "not served here")
        }
        #expect(asked.all == [])
    }

    @Test("a client makes this server ask no more often than it may register new devices")
    func limited() async throws {
        let asked = Asked()
        let (perMinute, calls) = (5, 40)
        let service = try TestService(rateLimitPerMinute: perMinute, checkEndpoint: { asked.check($0, $1) })
        try await service.run(.live) { client in
            for number in 0..<calls {
                _ = try await client.send(.post, Self.register, try Self.web("https://\(number)", "unifiedpush"))
            }
            #expect(asked.all.count == perMinute)
        }
        let signed = Asked()
        try await TestService(rateLimitPerMinute: perMinute, checkEndpoint: { signed.check($0, $1) }).run(.live) {
            client in
            for number in 0..<calls {
                var request = try await client.challenged(try TestWallet("wallet \(number)"))
                (request.platform, request.subscription) = (
                    "unifiedpush", TestSubscription(endpoint: "https://\(number)")
                )
                _ = try await client.send(request)
            }
            #expect(signed.all.count == perMinute * RegistrationRateLimits.newDevicesPerChange)
        }
    }
}
