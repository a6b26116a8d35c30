import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

@Suite("Signed registrations")
struct SignedRegistrationTests {
    let owner: TestWallet
    let key: TestDeviceKey

    init() throws {
        owner = try TestWallet("owner")
        key = try TestDeviceKey("phone")
    }

    @Test("the first signature binds, group ids and capabilities with it", arguments: SignedRequest.Form.allCases)
    func binds(form: SignedRequest.Form) async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register())
            #expect(try await service.device(token)?.walletAddress == nil)
            expectDone(try await client.send(try await client.challenged(owner, form: form)))
        }
        let device = try #require(try await service.device(token))
        #expect(device.walletAddress == owner.address)
        #expect(device.watchedGroupIDs.count == (form == .one ? 0 : 1))
        #expect(
            device.capabilities
                == (form == .one ? [] : form == .oneWithGroups ? ["group_v1"] : ["group_v1", "other"]))
        #expect(try await service.store.registry.devices(ofWallet: owner.address) == [device])
    }

    @Test("a group member that is there, even empty, implies group_v1 in version 1")
    func emptyGroups() async throws {
        let service = try TestService()
        try await service.run { client in
            var request = try await client.challenged(owner, form: .oneWithGroups)
            request.groups = []
            expectDone(try await client.send(request))
        }
        #expect(try await service.device(token)?.capabilities == ["group_v1"])
    }

    static let versionRules: [(SignedRequest.Form, String, any Sendable, String?)] = [
        (.one, "capabilities", ["group_v1"], "capabilities require auth_version=2"),
        (.one, "capabilities", [String](), nil),
        (.oneWithGroups, "capabilities", ["other"], "capabilities require auth_version=2"),
        (.oneWithGroups, "capabilities", ["group_v1"], nil),
        (.two, "capabilities", ["other"], "watched_group_ids require group_v1"),
        (.two, "aliases", ["a\nb"], "aliases with a line break cannot be signed"),
    ]

    @Test("what a version cannot sign is 400 before any signature is looked at", arguments: 0..<versionRules.count)
    func versions(index: Int) async throws {
        let (form, member, value, sentence) = Self.versionRules[index]
        try await TestService().run { client in
            var body = try await client.challenged(owner, form: form).body()
            body[member] = value
            if sentence != nil {
                var auth = try #require(body["auth"] as? [String: Any])
                auth["signature"] = String(repeating: "0", count: 128)
                body["auth"] = auth
            }
            let answer = try await client.send(.post, "/v1/push/register", body)
            if let sentence { try expect(answer, .badRequest, sentence) } else { expectDone(answer) }
        }
    }

    @Test("group ids or capabilities without auth are 401", arguments: ["watched_group_ids", "capabilities"])
    func unsignedGroups(member: String) async throws {
        try await TestService(mode: .legacy).run { client in
            let value = member == "capabilities" ? "group_v1" : String(repeating: "a", count: 64)
            try expect(try await client.register([member: [value]]), .unauthorized, "need a signed request")
        }
    }

    @Test("with group_v1 the primary address must be the wallet's", arguments: SignedRequest.Form.allCases)
    func primary(form: SignedRequest.Form) async throws {
        try await TestService().run { client in
            for primary in [nil, try TestWallet("other").address.description] {
                var request = try await client.challenged(owner, form: form)
                request.primary = primary
                let answer = try await client.send(request)
                if form == .one {
                    expectDone(answer)
                } else {
                    try expect(answer, .unauthorized, "primary_address must be auth.wallet_address")
                }
            }
        }
    }

    @Test(
        "both forms of a device signature, and both base64 alphabets, hold", arguments: [true, false], [true, false])
    func deviceSignatures(isRaw: Bool, isForURLs: Bool) async throws {
        let service = try TestService()
        try await service.run { client in
            for counter in 1...8 {
                var request = try await client.challenged(owner)
                request.deviceKey = key
                request.counter = UInt64(counter)
                request.rawDeviceSignature = isRaw
                request.app = counter % 2 == 0 ? "kasia" : "kchat"
                var body = try request.body()
                if isForURLs {
                    var auth = try #require(body["auth"] as? [String: Any])
                    auth["device_auth"] = try #require(auth["device_auth"] as? [String: Any]).mapValues { value in
                        (value as? String).map {
                            $0.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                        } ?? value
                    }
                    body["auth"] = auth
                }
                expectDone(try await client.send(.post, "/v1/push/register", body))
            }
        }
        #expect(try await service.device(token)?.deviceKey?.keyID == Hex.decode(key.keyID))
    }

    @Test("R6: a counter only grows within one token's registration, and a key on a new token counts from 1")
    func counters() async throws {
        let other = String(repeating: "f", count: 64)
        try await TestService().run { client in
            func register(_ token: String, _ counter: UInt64) async throws -> HTTPResponse.Status {
                try await client.registerSigned(owner, token: token, deviceKey: key, counter: counter).status
            }
            #expect(try await register(token, 5) == .ok)
            #expect(try await register(token, 5) == .unauthorized)
            #expect(try await register(token, 4) == .unauthorized)
            #expect(try await register(token, 6) == .ok)
            #expect(try await register(other, 1) == .ok)
            #expect(try await register(other, 1) == .unauthorized)
            #expect(try await register(token, .max) == .ok)
            #expect(try await register(token, .max) == .unauthorized)
            // The registration takes its counter with it.
            expectDone(try await client.send(try await client.challenged(owner, .delete, "/v1/push/unregister")))
            #expect(try await register(token, 1) == .ok)
        }
    }

    @Test("the bound device key may unregister whatever wallet signed beside it, and change nothing else")
    func deviceKeyUnregisters() async throws {
        let service = try TestService(mode: .strict)
        let thief = try TestWallet("thief")
        try await service.run { client in
            expectDone(try await client.registerSigned(owner, deviceKey: key, counter: 1))
            var update = try await client.challenged(thief, .put, "/v1/push/update")
            update.deviceKey = key
            update.counter = 2
            try expect(try await client.send(update), .unauthorized, "bound to another wallet")
            var request = try await client.challenged(thief, .delete, "/v1/push/unregister")
            request.deviceKey = key
            request.counter = 1
            try expect(try await client.send(request), .unauthorized, "counter must be greater")
            request = try await client.challenged(thief, .delete, "/v1/push/unregister")
            request.deviceKey = key
            request.counter = 2
            expectDone(try await client.send(request))
        }
        #expect(try await service.device(token) == nil)
    }

    @Test("an update without a device key keeps the one that is bound; the wallet may bring another")
    func keepsKey() async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.registerSigned(owner, deviceKey: key))
            expectDone(try await client.registerSigned(owner))
            #expect(try await service.device(token)?.deviceKey?.keyID == Hex.decode(key.keyID))
            let next = try TestDeviceKey("new phone")
            expectDone(try await client.registerSigned(owner, deviceKey: next))
            #expect(try await service.device(token)?.deviceKey?.keyID == Hex.decode(next.keyID))
        }
    }

    @Test("in strict mode only the bound wallet learns the status")
    func strictStatus() async throws {
        let service = try TestService(mode: .strict)
        let thief = try TestWallet("thief")
        let uri = "/v1/push/status"
        try await service.run { client in
            try expect(try await client.status(), .unauthorized, "auth is required")
            try expect(
                try await client.send(.post, uri, ["device_token": token]), .unauthorized, "auth is required")
            var answer = try await client.send(try await client.challenged(owner, .post, uri))
            #expect(answer.text == #"{"registered":false,"watched_addresses":[],"last_seen":null}"#)
            expectDone(try await client.registerSigned(owner))
            answer = try await client.send(try await client.challenged(owner, .post, uri))
            #expect(answer.text.hasPrefix(#"{"registered":true,"watched_addresses":["kaspa:"#))
            try expect(
                try await client.send(try await client.challenged(thief, .post, uri)), .unauthorized,
                "bound to another wallet")
        }
        let unbound = try TestService(mode: .strict)
        try await unbound.prepare(.unbound, owner: owner, key: key)
        try await unbound.run { client in
            try expect(
                try await client.send(try await client.challenged(owner, .post, uri)), .unauthorized,
                "bound to no wallet")
        }
    }

    @Test("elsewhere POST says what GET says, with a signature or without", arguments: ["legacy", "mixed"])
    func openStatus(mode: String) async throws {
        let service = try TestService(mode: try #require(.init(rawValue: mode)))
        try await service.run { client in
            expectDone(try await client.register())
            let expected = try await client.status().text
            let uri = "/v1/push/status"
            #expect(try await client.send(.post, uri, ["device_token": token]).text == expected)
            #expect(try await client.send(try await client.challenged(owner, .post, uri)).text == expected)
        }
    }

    @Test("a wallet lists its devices by the ends of their tokens, and signs all of them out")
    func wallet() async throws {
        let service = try TestService()
        let (other, uri) = (try TestWallet("other"), "/v1/push/devices")
        try await service.run { client in
            for number in 0..<3 {
                expectDone(try await client.registerSigned(owner, token: deviceToken(number)))
                service.clock.value += 1000
            }
            expectDone(try await client.registerSigned(other, token: deviceToken(9)))
            let list = try await client.send(try await client.challenged(owner, .post, uri))
            #expect(list.status == .ok)
            let seen = (0..<3).reversed().map { number in
                #"{"device_token_suffix":"0000000\#(number)","platform":"ios","created_at":\#(1_704_067_200 + number),"#
                    + #""last_seen":\#(1_704_067_200 + number)}"#
            }
            #expect(list.text == #"{"devices":["# + seen.joined(separator: ",") + "]}")
            for (method, path) in [(HTTPRequest.Method.post, uri), (.delete, "/v1/push/wallet")] {
                try expect(try await client.send(method, path, [:]), .unauthorized, "auth is required")
                var forged = try await client.challenged(owner, method, path).body()
                var auth = try #require(forged["auth"] as? [String: Any])
                auth["signature"] = try other.sign("x")
                forged["auth"] = auth
                try expect(try await client.send(method, path, forged), .unauthorized, "auth.signature is not valid")
            }
            let ended = try await client.send(try await client.challenged(owner, .delete, "/v1/push/wallet"))
            #expect(ended.status == .ok && ended.text == #"{"status":"ok","removed":3}"#)
            #expect(
                try await client.send(try await client.challenged(owner, .post, uri)).text == #"{"devices":[]}"#)
            #expect(
                try await client.send(try await client.challenged(owner, .delete, "/v1/push/wallet")).text
                    == #"{"status":"ok","removed":0}"#)
        }
        #expect(try await service.store.totals().devices == 1)
    }

    @Test("a stale counter stops calls about its token; those about a wallet name none, and have none to compare")
    func walletCounter() async throws {
        try await TestService().run { client in
            expectDone(try await client.registerSigned(owner, deviceKey: key, counter: 3))
            for (method, path, isStale) in [
                (HTTPRequest.Method.post, "/v1/push/status", true), (.post, "/v1/push/missed", true),
                (.post, "/v1/push/devices", false), (.delete, "/v1/push/wallet", false),
            ] {
                var request = try await client.challenged(owner, method, path)
                request.deviceKey = key
                request.counter = 3
                let answer = try await client.send(request)
                if isStale {
                    try expect(answer, .unauthorized, "counter must be greater")
                } else {
                    #expect(answer.status == .ok, "\(answer.text)")
                }
            }
        }
    }

    @Test("a wallet has twenty devices; the one seen least recently gives way")
    func twenty() async throws {
        let service = try TestService()
        try await service.run { client in
            for number in 0..<20 {
                expectDone(try await client.registerSigned(owner, token: deviceToken(number)))
                service.clock.value += 1
            }
            #expect(try await service.store.registry.devices(ofWallet: owner.address).count == 20)
            expectDone(try await client.registerSigned(owner, token: deviceToken(0)))
            service.clock.value += 1
            #expect(try await service.store.registry.devices(ofWallet: owner.address).count == 20, "one of them again")
            expectDone(try await client.registerSigned(owner, token: deviceToken(20)))
            #expect(try await service.store.registry.devices(ofWallet: owner.address).count == 20)
            #expect(try await service.device(deviceToken(1)) == nil)
            #expect(try await service.device(deviceToken(0)) != nil)
            #expect(try await service.device(deviceToken(2)) != nil)
        }
        #expect(try await service.store.totals().devices == 20)
        #expect(try await service.store.totals().watchEntries == 80)
    }
}

extension SignedRequest {
    func with(token: String) -> SignedRequest {
        var request = self
        request.token = token
        return request
    }
}
