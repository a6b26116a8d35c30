import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

@Suite("Signatures over the tokens of other carriers")
struct TokenSignatureTests {
    /// A device by its token, and how it registers.
    struct Device: Sendable, CustomTestStringConvertible {
        let token: String
        let platform: String
        var subscription: TestSubscription?
        var testDescription: String { platform }
    }

    static let devices = [
        Device(token: fcmToken, platform: "android"),
        Device(token: TestSubscription().endpoint, platform: "web", subscription: TestSubscription()),
        Device(token: TestSubscription().endpoint, platform: "unifiedpush", subscription: TestSubscription()),
    ]

    private static func request(
        _ client: any TestClientProtocol, _ wallet: TestWallet, _ device: Device,
        _ method: HTTPRequest.Method = .post, _ call: String = "register", form: SignedRequest.Form = .one
    ) async throws -> SignedRequest {
        var request = try await client.challenged(wallet, method, "/v1/push/\(call)", form: form)
        (request.platform, request.subscription) = (device.platform, device.subscription)
        if request.token != nil { request.token = device.token }
        return request
    }

    @Test(
        "the token is signed as it is, by wallet and device key, in every version and call", arguments: devices,
        SignedRequest.Form.allCases)
    func signed(device: Device, form: SignedRequest.Form) async throws {
        let owner = try TestWallet("owner")
        let key = try TestDeviceKey("phone")
        let service = try TestService(mode: .strict)
        try await service.run { client in
            let calls: [(HTTPRequest.Method, String)] = [
                (.post, "register"), (.put, "update"), (.post, "status"), (.post, "missed"), (.delete, "unregister"),
            ]
            for (number, (method, call)) in calls.enumerated() {
                var request = try await Self.request(client, owner, device, method, call, form: form)
                request.deviceKey = key
                request.counter = UInt64(number + 1)
                let response = try await client.send(request)
                #expect(response.status == .ok, "\(call): \(response.text)")
                if number == 0 {
                    let stored = try #require(try await service.device(device.token))
                    #expect(stored.walletAddress == owner.address && stored.deviceKey?.keyID == Hex.decode(key.keyID))
                }
            }
            #expect(try await service.device(device.token) == nil)
        }
    }

    @Test("a signature over the token in another case, or in hex, does not hold", arguments: devices)
    func otherText(device: Device) async throws {
        let owner = try TestWallet("owner")
        let service = try TestService()
        try await service.run { client in
            for text in [device.token.lowercased(), Hex.encode(Array(device.token.utf8)), device.token + "/"] {
                var request = try await Self.request(client, owner, device)
                (request.token, request.subscription) = (text, nil)
                var body = try request.body()
                body["device_token"] = device.token
                if let subscription = device.subscription { body["subscription"] = subscription.json }
                try expect(
                    try await client.send(.post, "/v1/push/register", body), .unauthorized,
                    "auth.signature is not valid")
            }
        }
        #expect(try await service.store.totals().devices == 0)
        #expect(try service.usedNonces() == 0)
    }

    @Test("a bound device is its wallet's: strangers neither change nor read it, signed or not", arguments: devices)
    func bound(device: Device) async throws {
        let (owner, thief) = (try TestWallet("owner"), try TestWallet("thief"))
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.send(try await Self.request(client, owner, device)))
            let before = try await service.device(device.token)
            let calls: [(HTTPRequest.Method, String)] = [
                (.post, "register"), (.put, "update"), (.delete, "unregister"),
            ]
            for (method, call) in calls {
                let request = try await Self.request(client, thief, device, method, call)
                try expect(try await client.send(request), .unauthorized, "bound to another wallet")
                var unsigned = try request.body()
                unsigned["auth"] = nil
                try expect(
                    try await client.send(method, "/v1/push/\(call)", unsigned), .unauthorized,
                    "auth is required for a wallet-bound device token")
                // The same bytes, called Apple's.
                unsigned["device_token"] = Hex.encode(Array(device.token.utf8))
                unsigned["platform"] = "ios"
                unsigned["subscription"] = nil
                let bytes = device.token.utf8.count
                guard (32...256).contains(bytes) else { continue }
                try expect(
                    try await client.send(method, "/v1/push/\(call)", unsigned), .badRequest,
                    "spells another token in hex")
            }
            #expect(try await service.device(device.token) == before)
            let status = try await client.status(device.token)
            #expect(status.text.hasSuffix(#""bound":true}"#))
            try expect(
                try await client.send(try await Self.request(client, thief, device, .post, "status")), .unauthorized,
                "bound to another wallet")
        }
    }

    @Test("a wallet's list shows the end of each token, and its platform")
    func list() async throws {
        let owner = try TestWallet("owner")
        let service = try TestService()
        try await service.run { client in
            for device in Self.devices.prefix(2) {
                expectDone(try await client.send(try await Self.request(client, owner, device)))
                service.clock.value += 1_000
            }
            let answer = try await client.send(try await client.challenged(owner, .post, "/v1/push/devices"))
            for device in Self.devices.prefix(2) {
                let suffix = device.token.suffix(8)
                #expect(
                    answer.text.contains(#"{"device_token_suffix":"\#(suffix)","platform":"\#(device.platform)","#),
                    "\(answer.text)")
                #expect(!answer.text.contains(device.token.suffix(9)))
            }
        }
    }
}
