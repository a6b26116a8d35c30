import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Push
import Store
import Testing

@testable import API

/// What installed apps do when they register, case by case.
// Serialized: hundreds of stores opened at once keep every other test waiting.
@Suite("Registrations of the apps in the field", .serialized)
struct FieldRegistrationTests {
    let owner: TestWallet
    let other: TestWallet
    let key: TestDeviceKey

    init() throws {
        owner = try TestWallet("owner")
        other = try TestWallet("other")
        key = try TestDeviceKey("phone")
    }

    // MARK: R4

    @Test(
        "R4: an empty list of groups is signed with its line and without it, whether or not the member is there",
        arguments: [SignedRequest.Form.one, .oneWithGroups], [true, false])
    func groupLine(form: SignedRequest.Form, hasMember: Bool) async throws {
        let service = try TestService(mode: .strict)
        try await service.run { client in
            for path in ["register", "update", "unregister"] {
                let method: HTTPRequest.Method = path == "unregister" ? .delete : path == "update" ? .put : .post
                var request = try await client.challenged(owner, method, "/v1/push/\(path)", form: form)
                request.groups = []
                var body = try request.body()
                body["watched_group_ids"] = hasMember ? [String]() : nil
                expectDone(try await client.send(method, request.path, body))
                if path != "unregister" {
                    #expect(try await service.device(token)?.capabilities == (hasMember ? ["group_v1"] : []))
                }
            }
        }
        #expect(try await service.device(token) == nil)
    }

    @Test("R4: groups that were not signed are not taken")
    func unsignedGroups() async throws {
        let service = try TestService()
        try await service.run { client in
            var body = try (try await client.challenged(owner, form: .one)).body()
            body["watched_group_ids"] = [String(repeating: "ab", count: 32)]
            try expect(
                try await client.send(.post, "/v1/push/register", body), .unauthorized, "auth.signature is not valid")
        }
        #expect(try await service.device(token) == nil)
    }

    // MARK: R5

    @Test("R5: another wallet signs out the last one by the phone's own key, over lists that nobody else can know")
    func otherWallet() async throws {
        let service = try TestService(mode: .strict)
        try await service.run { client in
            expectDone(try await client.registerSigned(owner, deviceKey: key, counter: 1))
            try expect(
                try await client.registerSigned(other, deviceKey: key, counter: 2), .unauthorized,
                "bound to another wallet")
            var request = try await client.challenged(other, .delete, "/v1/push/unregister")
            request.deviceKey = key
            request.counter = 3
            var body = try request.body()
            var auth = try #require(body["auth"] as? [String: Any])
            // The app signs its real lists: a text that the server cannot put together.
            auth["signature"] = try other.sign(request.preimage + "\nreal lists")
            body["auth"] = auth
            expectDone(try await client.send(.delete, request.path, body))
            // One nonce, used up all the same.
            try expect(
                try await client.send(.delete, request.path, body), .unauthorized, "auth.nonce is unknown or was used")
            expectDone(try await client.registerSigned(other, deviceKey: key, counter: 4))
        }
        #expect(try await service.device(token)?.walletAddress == other.address)
    }

    @Test("R5: a wallet's broken signature needs the very key of the registration beside it")
    func brokenSignature() async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.registerSigned(owner, deviceKey: key, counter: 1))
            for deviceKey in [nil, try TestDeviceKey("other phone")] {
                var request = try await client.challenged(other, .delete, "/v1/push/unregister")
                request.deviceKey = deviceKey
                var body = try request.body()
                var auth = try #require(body["auth"] as? [String: Any])
                auth["signature"] = String(repeating: "1", count: 128)
                body["auth"] = auth
                try expect(
                    try await client.send(.delete, request.path, body), .unauthorized, "auth.signature is not valid")
            }
            var stale = try await client.challenged(other, .delete, "/v1/push/unregister")
            stale.deviceKey = key
            try expect(try await client.send(stale), .unauthorized, "counter must be greater")
        }
        #expect(try await service.device(token)?.walletAddress == owner.address)
    }

    // MARK: R9 to R12

    @Test("R9: an environment is kept until another is said", arguments: ["development", "production"])
    func environment(name: String) async throws {
        let service = try TestService()
        let said = DeviceRecord.KnownEnvironment(name == "development" ? .development : .production, isSaid: true)
        try await service.run { client in
            expectDone(try await client.register())
            #expect(try await service.device(token)?.environment == nil)
            expectDone(try await client.register(["apns_environment": name]))
            #expect(try await service.device(token)?.environment == said)
            expectDone(try await client.register())
            #expect(try await service.device(token)?.environment == said)
            expectDone(try await client.register(["apns_environment": NSNull()]))
            #expect(try await service.device(token)?.environment == said)
        }
    }

    @Test("R9: what Apple's answers have shown is kept, and gives way to what an app says")
    func shownEnvironment() async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register())
            let id = DeviceID(token: try #require(Hex.decode(token)))
            try await service.store.registry.noteEnvironment(.development, of: id)
            expectDone(try await client.register())
            #expect(try await service.device(token)?.environment == .init(.development, isSaid: false))
            expectDone(try await client.register(["apns_environment": "production"]))
            #expect(try await service.device(token)?.environment == .init(.production, isSaid: true))
        }
    }

    @Test("R10: a token for ringing is replaced by the next registration, and ended by null and by none")
    func voipToken() async throws {
        let service = try TestService()
        try await service.run { client in
            let (first, second) = (String(repeating: "Ab", count: 32), String(repeating: "cd", count: 32))
            let steps: [([String: Any?], [UInt8])] = [
                ([:], []), (["voip_token": first], [UInt8](repeating: 0xab, count: 32)),
                (["voip_token": second], [UInt8](repeating: 0xcd, count: 32)), ([:], []),
                (["voip_token": second], [UInt8](repeating: 0xcd, count: 32)), (["voip_token": NSNull()], []),
            ]
            for (changes, voipToken) in steps {
                expectDone(try await client.register(changes))
                #expect(try await service.device(token)?.voipToken == voipToken)
            }
        }
    }

    @Test("R11: channels and hidden senders are kept as names are compared; missing ones are none")
    func channels() async throws {
        let service = try TestService()
        let hidden = try addresses(2)
        try await service.run { client in
            expectDone(
                try await client.register([
                    "watched_broadcast_channels": [" Kaspa ", "kachat-bugs", "kaspa", ""],
                    "hidden_broadcast_senders": ["Kaspa": hidden + [hidden[0]], "kaspa": [hidden[1]], "other": []],
                ]))
            let device = try #require(try await service.device(token))
            #expect(device.broadcastChannels == ["kaspa", "kachat-bugs"])
            #expect(device.hiddenBroadcastSenders.mapValues { $0.map(\.description) } == ["kaspa": hidden])
            expectDone(try await client.register())
            #expect(try await service.device(token)?.broadcastChannels == [])
            #expect(try await service.device(token)?.hiddenBroadcastSenders == [:])
        }
    }

    static let refusals: [(String, any Sendable, String)] = [
        ("apns_environment", "sandbox", "apns_environment must be development or production"),
        ("apns_environment", 1, "apns_environment must be development or production"),
        ("voip_token", "12", "voip_token must have 64 to 512 hex digits"),
        ("voip_token", 7, "voip_token must be a string or null"),
        ("watched_broadcast_channels", "kaspa", "watched_broadcast_channels must be a list of strings"),
        ("watched_broadcast_channels", ["ok", "a b"], "watched_broadcast_channels[1] must be a channel's name"),
        ("hidden_broadcast_senders", ["kaspa"], "hidden_broadcast_senders must be an object"),
        ("hidden_broadcast_senders", ["a:b": [String]()], "hidden_broadcast_senders[\"a:b\"] must be a channel's name"),
        ("hidden_broadcast_senders", ["kaspa": "x"], "hidden_broadcast_senders[\"kaspa\"] must be a list"),
        ("hidden_broadcast_senders", ["kaspa": ["x"]], "hidden_broadcast_senders[\"kaspa\"][0] \"x\" is not valid"),
        ("hidden_broadcast_senders", ["kaspa": [1]], "hidden_broadcast_senders[\"kaspa\"][0] must be a string"),
    ]

    @Test("R9 to R11: one bad entry refuses the whole request, naming it", arguments: 0..<refusals.count)
    func refused(index: Int) async throws {
        let (member, value, sentence) = Self.refusals[index]
        let service = try TestService()
        try await service.run { client in
            try expect(try await client.register([member: value]), .badRequest, sentence)
        }
        #expect(try await service.device(token) == nil)
    }

    @Test("R11: at most 64 channels, and 500 hidden senders in all", arguments: [-1, 0, 1])
    func limits(over: Int) async throws {
        try await TestService().run { client in
            let names = (0..<64 + over).map { "channel-\($0)" }
            let channels = try await client.register(["watched_broadcast_channels": names])
            let hidden = Dictionary(uniqueKeysWithValues: names.map { ($0, [String]()) })
            let hiding = try await client.register(["hidden_broadcast_senders": hidden])
            let many = try addresses(500 + over)
            let senders = try await client.register([
                "hidden_broadcast_senders": ["a": Array(many[..<200]), "b": Array(many[200...])]
            ])
            guard over > 0 else { return [channels, hiding, senders].forEach { expectDone($0) } }
            try expect(channels, .badRequest, "watched_broadcast_channels has 65 entries; at most 64 are allowed")
            try expect(hiding, .badRequest, "hidden_broadcast_senders has too many entries")
            try expect(senders, .badRequest, "hidden_broadcast_senders has too many entries")
        }
    }

    // MARK: P1

    @Test("P1: an app that is KaChat's gets its own shape, whatever the operator's default")
    func shape() async throws {
        let members: [(String, any Sendable)] = [
            ("devicecheck_token", "x"), ("app_attest_key_id", "x"), ("watched_broadcast_channels", [String]()),
            ("hidden_broadcast_senders", [String: String]()), ("kaposts_pubkey", NSNull()),
            ("apns_environment", "production"), ("voip_token", NSNull()),
        ]
        let service = try TestService()
        try await service.run { client in
            for (member, value) in members {
                expectDone(try await client.register())
                #expect(try await service.device(token)?.payloadFormat == nil)
                expectDone(try await client.register([member: value]))
                #expect(try await service.device(token)?.payloadFormat == .kachat, "\(member)")
                expectDone(try await client.register([member: value, "payload_format": "kasia"]))
                #expect(try await service.device(token)?.payloadFormat == .kasia, "\(member)")
            }
        }
    }

    @Test("P1: so does one that signs under KaChat's domain", arguments: SignedRequest.Form.allCases)
    func domain(form: SignedRequest.Form) async throws {
        let service = try TestService()
        try await service.run { client in
            for (app, format) in [("kasia", nil), ("kchat", DeviceRecord.PayloadFormat.kachat)] {
                var request = try await client.challenged(owner, form: form)
                request.app = app
                expectDone(try await client.send(request))
                #expect(try await service.device(token)?.payloadFormat == format)
            }
        }
    }

    // MARK: R14

    @Test("R14: signed changes count against their wallet, not against the address they share")
    func walletAllowance() async throws {
        try await TestService(rateLimitPerMinute: 60).run(.live) { client in
            // More than an address has, by several wallets.
            for number in 0..<4 {
                let wallet = try TestWallet("wallet \(number)")
                for index in 0..<20 {
                    let answer = try await client.registerSigned(wallet, token: deviceToken(number * 100 + index))
                    #expect(answer.status == .ok, "\(answer.text)")
                }
            }
            // The address has all of its own allowance left.
            for _ in 0..<60 { #expect(try await client.register().status == .ok) }
            #expect(try await client.register().status == .tooManyRequests)
            // Who signs is let in all the same.
            let answer = try await client.registerSigned(owner, token: deviceToken(900))
            #expect(answer.status == .ok, "\(answer.text)")
        }
    }

    @Test("new devices count against the address they share, whoever signs; known ones do not")
    func newDevices() async throws {
        try await TestService(rateLimitPerMinute: 3).run(.live) { client in
            for number in 1...7 {
                let wallet = try TestWallet("wallet \(number)")
                let answer = try await client.registerSigned(wallet, token: deviceToken(number))
                guard number == 7 else {
                    #expect(answer.status == .ok, "\(answer.text)")
                    continue
                }
                try expect(answer, .tooManyRequests, "too many new devices from this address")
                #expect(answer.headers[.retryAfter] != nil)
            }
            for number in 1...6 {
                expectDone(
                    try await client.registerSigned(try TestWallet("wallet \(number)"), token: deviceToken(number)))
            }
        }
    }

    @Test("new devices of all together have an allowance, beside which known ones change as before")
    func allNewDevices() async throws {
        var configuration = APIConfiguration(network: .mainnet)
        configuration.rateLimitPerMinute = 1_000_000
        let start = ContinuousClock.now
        let allowance = RegistrationRateLimits(configuration, now: { start })
        for _ in 0..<RegistrationRateLimits.newDevices { #expect(allowance.takeNewDevice() == nil) }
        #expect(allowance.takeNewDevice() == 1)
        try allowance.admit([1], token: [2])
    }

    @Test("beyond push.max_devices a new device is 503, and a known one is not")
    func cap() async throws {
        var limits = StoreLimits()
        limits.devices = 1
        let service = try TestService(limits: limits)
        try await service.run { client in
            expectDone(try await client.registerSigned(owner))
            let refused = try await client.registerSigned(other, token: deviceToken(2))
            try expect(refused, .serviceUnavailable, "as many devices as it can take")
            #expect(refused.headers[.retryAfter] == "3600")
            expectDone(try await client.registerSigned(owner))
        }
        #expect(try await service.store.totals().devices == 1)
    }

    @Test("R14: a wallet has 60 changes in a minute, each of its tokens 20")
    func allowances() async throws {
        try await TestService(rateLimitPerMinute: 60).run(.live) { client in
            for token in 0..<3 {
                for index in 0..<20 {
                    let answer = try await client.registerSigned(owner, token: deviceToken(token))
                    #expect(answer.status == .ok, "\(token) \(index) \(answer.text)")
                }
                let more = try await client.registerSigned(owner, token: deviceToken(token))
                try expect(more, .tooManyRequests, token < 2 ? "too many changes of this device" : "by this wallet")
                #expect(more.headers[.retryAfter] != nil)
                // What was refused has been counted against the wallet, too.
                if token == 1 { break }
            }
        }
    }

    @Test("R14: a failed signature counts against the address, and against nobody's wallet")
    func failures() async throws {
        try await TestService(rateLimitPerMinute: 3).run(.live) { client in
            for number in 0..<4 {
                var body = try (try await client.challenged(owner)).body()
                var auth = try #require(body["auth"] as? [String: Any])
                auth["signature"] = String(repeating: "1", count: 128)
                body["auth"] = auth
                let answer = try await client.send(.post, "/v1/push/register", body)
                #expect(answer.status == (number < 3 ? .unauthorized : .tooManyRequests), "\(answer.text)")
            }
            expectDone(try await client.registerSigned(owner))
        }
    }
}
