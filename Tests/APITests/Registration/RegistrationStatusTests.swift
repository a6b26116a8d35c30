import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

@Suite("The status of a registration")
struct RegistrationStatusTests {
    private static let uri = "/v1/push/status"
    private static let voip = String(repeating: "5b", count: 32)
    private static let group = String(repeating: "ab", count: 32)

    /// A registration with everything that needs no signature.
    private static func everything() throws -> [String: Any?] {
        let all = try addresses(5)
        return [
            "platform": "macos", "watched_addresses": [all[0], all[1]], "primary_address": all[0],
            "aliases": ["tea", "\"ü\n\u{1}x"], "payload_format": "kasia", "watch_only_addresses": [all[2], all[3]],
            "apns_environment": "production", "voip_token": voip,
            "watched_broadcast_channels": ["kaspa", "News"],
            "hidden_broadcast_senders": ["news": [all[4]], "kaspa": [all[3], all[4]]],
        ]
    }

    @Test("An app gets back what it registered, under the same names, but for the token for ringing")
    func everything() async throws {
        let all = try addresses(5)
        try await TestService().run { client in
            expectDone(try await client.register(try Self.everything()))
            let answer = try await client.status()
            let expected =
                #"{"registered":true,"watched_addresses":["\#(all[0])","\#(all[1])"],"last_seen":1704067200,"#
                + #""bound":false,"platform":"macos","wallet_address":null,"primary_address":"\#(all[0])","#
                + #""aliases":["tea","\"ü\n\u0001x"],"watched_group_ids":[],"capabilities":[],"#
                + #""watch_only_addresses":["\#(all[2])","\#(all[3])"],"payload_format":"kasia","#
                + #""apns_environment":"production","has_voip_token":true,"#
                + #""watched_broadcast_channels":["kaspa","news"],"#
                + #""hidden_broadcast_senders":{"kaspa":["\#(all[3])","\#(all[4])"],"news":["\#(all[4])"]}}"#
            #expect(answer.text == expected)
            #expect(try await client.send(.post, Self.uri, ["device_token": token]).text == expected)
            #expect(!answer.text.contains(Self.voip))
        }
    }

    @Test("What was not registered is empty, null or false, and there all the same")
    func nothing() async throws {
        let all = try addresses(1)
        try await TestService().run { client in
            expectDone(try await client.register())
            #expect(
                try await client.status().text
                    == #"{"registered":true,"watched_addresses":["\#(all[0])"],"last_seen":1704067200,"bound":false,"#
                    + #""platform":"ios","wallet_address":null,"primary_address":null,"aliases":[],"#
                    + #""watched_group_ids":[],"capabilities":[],"watch_only_addresses":[],"payload_format":null,"#
                    + #""apns_environment":null,"has_voip_token":false,"watched_broadcast_channels":[],"#
                    + #""hidden_broadcast_senders":{}}"#)
        }
    }

    @Test(
        "Of a bound registration strangers learn what they always did, and its wallet learns all",
        arguments: ["legacy", "mixed", "strict"])
    func bound(mode: String) async throws {
        let (owner, thief) = (try TestWallet("owner"), try TestWallet("thief"))
        let mode = try #require(APIConfiguration.AuthenticationMode(rawValue: mode))
        let all = try addresses(2)
        try await TestService(mode: mode).run { client in
            var request = try await client.challenged(owner, .post, "/v1/push/register", form: .two)
            request.addresses = all
            let unsigned: [String: Any] = ["watch_only_addresses": [all[1]], "voip_token": Self.voip]
            let body = try request.body().merging(unsigned) { $1 }
            expectDone(try await client.send(.post, "/v1/push/register", body))
            let known = #"{"registered":true,"watched_addresses":["\#(all[0])","\#(all[1])"],"last_seen":1704067200,"#
            if mode != .strict {
                #expect(try await client.status().text == known + #""bound":true}"#)
                let post = try await client.send(.post, Self.uri, ["device_token": token])
                #expect(post.text == known + #""bound":true}"#)
            }
            let answer = try await client.send(try await client.challenged(owner, .post, Self.uri))
            #expect(
                answer.text
                    == known + #""bound":true,"platform":"ios","wallet_address":"\#(owner.address)","#
                    + #""primary_address":"\#(owner.address)","aliases":["beta","alpha"],"#
                    + #""watched_group_ids":["\#(Self.group)"],"capabilities":["group_v1","other"],"#
                    + #""watch_only_addresses":["\#(all[1])"],"payload_format":"kachat","apns_environment":null,"#
                    + #""has_voip_token":true,"watched_broadcast_channels":[],"hidden_broadcast_senders":{}}"#)
            try expect(
                try await client.send(try await client.challenged(thief, .post, Self.uri)), .unauthorized,
                "bound to another wallet")
        }
    }

    @Test("An environment that Apple's answers have shown is told as one that the app said")
    func shownEnvironment() async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register())
            try await service.store.registry.noteEnvironment(
                .development, of: DeviceID(token: try #require(Hex.decode(token))))
            #expect(try await client.status().text.contains(#""apns_environment":"development""#))
        }
    }
}
