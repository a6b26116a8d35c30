import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

/// Browsers and UnifiedPush apps.
@Suite("Registrations of subscriptions")
struct SubscriptionTests {
    private static let endpoint = TestSubscription().endpoint

    private static func ask(
        _ client: any TestClientProtocol, _ call: String, _ token: String
    ) async throws -> TestResponse {
        try await client.send(.post, "/v1/push/\(call)", ["device_token": token])
    }

    @Test("a browser's subscription is stored with its keys, its endpoint being the token of all other calls")
    func web() async throws {
        let service = try TestService()
        let keys = DeviceRecord.SubscriptionKeys(
            publicKey: try #require(Base64Text.decode(TestSubscription.publicKey)),
            secret: try #require(Base64Text.decode(TestSubscription().secret)))
        try await service.run { client in
            for (label, platform) in [("WEB", DeviceRecord.Platform.web), ("unifiedpush", .unifiedPush)] {
                expectDone(
                    try await client.register(
                        TestSubscription.registration(TestSubscription().json, ["platform": label])))
                let device = try #require(try await service.device(Self.endpoint))
                #expect(device.platform == platform && device.subscriptionKeys == keys)
                #expect(device.token == Array(Self.endpoint.utf8))
                let status = try await client.status(Self.endpoint)
                #expect(status.text.contains(#""platform":"\#(label.lowercased())""#))
                #expect(!status.text.contains(TestSubscription().secret))
                #expect(try await Self.ask(client, "missed", Self.endpoint).status == .ok)
                expectDone(try await Self.ask(client, "unregister", Self.endpoint))
                #expect(try await service.device(Self.endpoint) == nil)
            }
        }
    }

    @Test("keys may be written in either alphabet of base64, padded or not")
    func base64() async throws {
        let service = try TestService()
        var subscription = TestSubscription()
        try await service.run { client in
            expectDone(try await client.register(TestSubscription.registration()))
        }
        let first = try await service.device(Self.endpoint)?.subscriptionKeys
        for (key, secret) in [("", "=="), ("=", "")] {
            subscription.publicKey =
                TestSubscription.publicKey.replacing("-", with: "+").replacing("_", with: "/") + key
            subscription.secret = TestSubscription().secret.replacing("_", with: "/") + secret
            try await service.run { [subscription] client in
                expectDone(try await client.register(TestSubscription.registration(subscription.json)))
            }
            #expect(try await service.device(Self.endpoint)?.subscriptionKeys == first)
        }
    }

    @Test("an update brings other keys, or leaves those that are stored; without any the device is refused")
    func keysOfUpdates() async throws {
        let service = try TestService()
        let other = TestSubscription(secret: "AAAAAAAAAAAAAAAAAAAAAA")
        let uri = "/v1/push/update"
        try await service.run { client in
            let bare = try registration(["device_token": Self.endpoint, "platform": nil])
            try expect(
                try await client.send(.put, uri, bare), .badRequest,
                "subscription is missing: this endpoint is not registered")
            expectDone(
                try await client.register(
                    TestSubscription.registration(TestSubscription().json, ["platform": "unifiedpush"])))
            let first = try #require(try await service.device(Self.endpoint)?.subscriptionKeys)
            expectDone(try await client.send(.put, uri, bare))
            #expect(try await service.device(Self.endpoint)?.subscriptionKeys == first)
            for changes in [
                TestSubscription.registration(other.json),
                TestSubscription.registration(other.json, ["device_token": Self.endpoint]),
            ] {
                expectDone(try await client.send(.put, uri, try registration(changes)))
                let device = try #require(try await service.device(Self.endpoint))
                #expect(device.subscriptionKeys?.secret == [UInt8](repeating: 0, count: 16))
                #expect(device.platform == .unifiedPush, "an update leaves the platform")
                expectDone(try await client.send(.put, uri, bare))
                #expect(try await service.device(Self.endpoint)?.subscriptionKeys == device.subscriptionKeys)
            }
        }
    }

    /// A subscription, and what the answer must name.
    private static func wrongSubscriptions() -> [(Any?, String)] {
        let good = TestSubscription()
        func keys(_ changes: [String: Any?]) -> [String: Any] {
            var keys: [String: Any] = ["p256dh": TestSubscription.publicKey, "auth": good.secret]
            for (name, value) in changes { keys[name] = value }
            return ["endpoint": good.endpoint, "keys": keys]
        }
        func point(_ count: Int, first: UInt8 = 4) -> String {
            Data([first] + [UInt8](repeating: 1, count: count - 1)).base64EncodedString()
        }
        let (key, secret) = ("subscription.keys.p256dh", "subscription.keys.auth")
        let offCurve = "\(key) is not an uncompressed point of the curve P-256"
        return [
            (nil, "subscription is missing"), (NSNull(), "subscription is missing"),
            ("x", "subscription must be an object"), ([good.json], "subscription must be an object"),
            ([String: Any](), "subscription.endpoint is missing"),
            (["endpoint": 7], "subscription.endpoint must be a string"),
            (["endpoint": good.endpoint], "subscription.keys is missing"),
            (["endpoint": good.endpoint, "keys": NSNull()], "subscription.keys is missing"),
            (["endpoint": good.endpoint, "keys": "x"], "subscription.keys must be an object"),
            (["endpoint": "http://push.example.org/1", "keys": [:]], "subscription.endpoint must be an https URL"),
            (["endpoint": token, "keys": [:]], "subscription.endpoint must be an https URL"),
            (["endpoint": "https://", "keys": [:]], "subscription.endpoint has no host"),
            (["endpoint": "https://a\n", "keys": [:]], "subscription.endpoint has a character that a URL must escape"),
            (keys(["p256dh": nil]), "\(key) is missing"), (keys(["auth": nil]), "\(secret) is missing"),
            (keys(["p256dh": 7]), "\(key) must be a string"), (keys(["auth": 7]), "\(secret) must be a string"),
            (keys(["p256dh": point(64)]), "\(key) must be 65 bytes in base64"),
            (keys(["p256dh": point(65)]), offCurve), (keys(["p256dh": point(65, first: 6)]), offCurve),
            (keys(["p256dh": Data(repeating: 0, count: 65).base64EncodedString()]), offCurve),
            (keys(["p256dh": point(66)]), "\(key) must be 65 bytes in base64"),
            (keys(["p256dh": TestSubscription.publicKey + "=="]), "\(key) must be 65 bytes in base64"),
            (
                keys(["auth": Data(repeating: 1, count: 15).base64EncodedString()]),
                "\(secret) must be 16 bytes in base64"
            ),
            (
                keys(["auth": Data(repeating: 1, count: 17).base64EncodedString()]),
                "\(secret) must be 16 bytes in base64"
            ),
            (keys(["auth": good.secret + "!"]), "\(secret) must be 16 bytes in base64"),
        ]
    }

    @Test("a subscription that is not one is refused by the member that is wrong")
    func wrongSubscription() async throws {
        let service = try TestService()
        try await service.run { client in
            for (subscription, words) in Self.wrongSubscriptions() {
                for platform in ["web", "unifiedpush"] {
                    let response = try await client.register(
                        TestSubscription.registration(subscription, ["platform": platform]))
                    try expect(response, .badRequest, words)
                }
                guard subscription != nil, !(subscription is NSNull) else { continue }
                let response = try await client.send(
                    .put, "/v1/push/update", try registration(TestSubscription.registration(subscription)))
                try expect(response, .badRequest, words)
            }
        }
        #expect(try await service.store.totals().devices == 0)
    }

    @Test("an endpoint has at most 1000 bytes", arguments: [999, 1_000, 1_001])
    func endpointBytes(count: Int) async throws {
        let endpoint = "https://" + String(repeating: "a", count: count - 8)
        try await TestService().run { client in
            let response = try await client.register(
                TestSubscription.registration(TestSubscription(endpoint: endpoint).json))
            guard count > 1_000 else { return expectDone(response) }
            try expect(response, .badRequest, "subscription.endpoint is longer than 1000 bytes")
        }
    }
}
