import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Synchronization
import Testing

@testable import API

/// Phones with Android, browsers and UnifiedPush apps.
@Suite("Registrations with other carriers than Apple")
struct CarrierRegistrationTests {
    private static let endpoint = TestSubscription().endpoint

    private static func ask(
        _ client: any TestClientProtocol, _ call: String, _ token: String
    ) async throws -> TestResponse {
        try await client.send(.post, "/v1/push/\(call)", ["device_token": token])
    }

    // MARK: Android

    @Test("a phone with Android registers its token as it is, and lives through every call with it")
    func android() async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register(["device_token": fcmToken, "platform": "Android"]))
            let device = try #require(try await service.device(fcmToken))
            #expect(device.platform == .android && device.token == Array(fcmToken.utf8))
            #expect(device.subscriptionKeys == nil)
            let status = try await client.status(fcmToken)
            #expect(status.text.contains(#""platform":"android""#))
            #expect(try await Self.ask(client, "status", fcmToken).text == status.text)
            #expect(try await Self.ask(client, "missed", fcmToken).status == .ok)
            #expect(
                try await client.execute(uri: "/v1/push/missed?device_token=\(fcmToken)", method: .get).status == .ok)
            expectDone(
                try await client.send(
                    .put, "/v1/push/update", try registration(["device_token": fcmToken, "platform": nil])))
            #expect(try await service.device(fcmToken)?.platform == .android)
            // Another case is another token.
            #expect(try await client.status(fcmToken.lowercased()).text.hasPrefix(#"{"registered":false"#))
            expectDone(try await Self.ask(client, "unregister", fcmToken))
            #expect(try await service.device(fcmToken) == nil)
        }
    }

    @Test("the longest token of FCM, and the longest endpoint in escapes, fit into a query")
    func longestInQuery() async throws {
        let longest = "z" + String(repeating: "0", count: 4_095)
        let endpoint = "https://a/" + String(repeating: "?", count: 990)
        try await TestService().run { client in
            expectDone(try await client.register(["device_token": longest, "platform": "android"]))
            #expect(try await client.status(longest).text.hasPrefix(#"{"registered":true"#))
            expectDone(
                try await client.register(TestSubscription.registration(TestSubscription(endpoint: endpoint).json)))
            let escaped = try #require(endpoint.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            #expect(escaped.utf8.count > 2_900)
            #expect(try await client.status(escaped).text.hasPrefix(#"{"registered":true"#))
        }
    }

    @Test("members that only Apple's devices have are ignored")
    func ignoredMembers() async throws {
        let service = try TestService()
        try await service.run { client in
            let foreign: [String: Any?] = ["apns_environment": "moon", "voip_token": "no hex"]
            expectDone(
                try await client.register(
                    ["device_token": fcmToken, "platform": "android", "subscription": 7].merging(foreign) { $1 }))
            expectDone(try await client.register(TestSubscription.registration(TestSubscription().json, foreign)))
            expectDone(try await client.register(["subscription": ["endpoint": 7]]))
            for text in [fcmToken, Self.endpoint] {
                let device = try #require(try await service.device(text))
                #expect(device.environment == nil && device.voipToken == [])
            }
        }
    }

    @Test("an update of an unknown device registers it by what its token looks like")
    func updateRegisters() async throws {
        let service = try TestService()
        try await service.run { client in
            for changes in [
                ["platform": nil], ["device_token": fcmToken, "platform": nil], TestSubscription.registration(),
            ] {
                expectDone(try await client.send(.put, "/v1/push/update", try registration(changes)))
            }
        }
        #expect(try await service.device(token)?.platform == .ios)
        #expect(try await service.device(fcmToken)?.platform == .android)
        #expect(try await service.device(Self.endpoint)?.platform == .web)
    }

    // MARK: Mistakes

    static let mismatches: [(String, String?, String)] = [
        ("ios", fcmToken, "has a character that is not a hex digit, and platform ios needs Apple's token in hex"),
        ("macos", endpoint, "is an https URL, and platform macos needs Apple's token in hex"),
        ("android", token, "looks like Apple's: it has only hex digits, and platform android needs an FCM token"),
        ("android", "<\(token)>", "looks like Apple's"), ("android", "ab", "looks like Apple's"),
        ("android", endpoint, "is an https URL, and platform android needs an FCM token"),
        ("android", nil, "device_token is missing"), ("ios", nil, "device_token is missing"),
        ("web", token, "device_token must be left out, or be subscription.endpoint"),
        ("unifiedpush", fcmToken, "device_token must be left out, or be subscription.endpoint"),
        ("web", endpoint + "/", "device_token must be left out, or be subscription.endpoint"),
    ]

    @Test("a token of another carrier than the platform's is refused with what it looks like", arguments: mismatches)
    func mismatch(platform: String, token: String?, words: String) async throws {
        let service = try TestService()
        try await service.run { client in
            let response = try await client.register([
                "device_token": token, "platform": platform, "subscription": TestSubscription().json,
            ])
            try expect(response, .badRequest, words)
        }
        #expect(try await service.store.totals().devices == 0)
    }

    // MARK: Carriers that are not there

    private static func refusals() -> [([String: Any?], String)] {
        [
            (
                ["device_token": fcmToken, "platform": "android"],
                "platform android is not served here: the operator has not configured fcm.*"
            ),
            (
                TestSubscription.registration(),
                "platform web is not served here: the operator has not configured web_push.*"
            ),
            (
                TestSubscription.registration(TestSubscription().json, ["platform": "unifiedpush"]),
                "platform unifiedpush is not served here"
            ),
        ]
    }

    @Test("a platform whose carrier is not configured is refused by its name, and known devices may still leave")
    func notConfigured() async throws {
        let service = try TestService(carriers: [.apns])
        try await service.run { client in
            expectDone(try await client.register())
            for (changes, words) in Self.refusals() {
                let response = try await client.register(changes)
                try expect(response, .badRequest, words)
                #expect(response.text.contains(#""code":"carrier_not_configured""#))
                let update = try await client.send(.put, "/v1/push/update", try registration(changes))
                try expect(update, .badRequest, "this kind of device_token is not served here")
            }
            #expect(try await service.store.totals().devices == 1)
            for token in [fcmToken, Self.endpoint] {
                #expect(try await client.status(token).text.hasPrefix(#"{"registered":false"#))
                expectDone(try await Self.ask(client, "unregister", token))
            }
        }
        try await TestService(carriers: [.fcm, .webPush]).run { client in
            try expect(
                try await client.register(), .badRequest,
                "platform ios is not served here: the operator has not configured apns.*")
        }
        #expect(APIConfiguration(network: .mainnet).carriers == [.apns])
    }
}
