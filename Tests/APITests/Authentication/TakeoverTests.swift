import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Push
import Store
import Testing

@testable import API

/// What a stranger tries with somebody's device token.
enum Takeover: Sendable, Hashable, CustomTestStringConvertible {
    case unsigned, otherWallet, otherDeviceKey, staleCounter, otherMethod, otherPath, otherNetwork
    /// A wallet's signature that does not verify, beside a device key of the stranger's own (R5).
    case brokenWalletOtherDeviceKey
    /// The same beside the phone's own key: who has that may end the registration, and nothing else.
    case brokenWalletStolenDeviceKey
    /// A stranger's wallet beside the phone's own key.
    case otherWalletStolenDeviceKey
    /// The owner's signature, and a device key's that does not verify.
    case brokenDeviceKey
    /// The owner signed, and this was changed on the way.
    case altered(String)

    static let members = [
        "device_token", "watched_addresses", "watched_group_ids", "capabilities", "primary_address", "aliases",
        "wallet_pubkey", "wallet_address", "nonce", "timestamp_ms", "expires_at_ms", "auth_version",
    ]
    static let all: [Takeover] =
        [
            .unsigned, .otherWallet, .otherDeviceKey, .staleCounter, .otherMethod, .otherPath, .otherNetwork,
            .brokenWalletOtherDeviceKey, .brokenWalletStolenDeviceKey, .otherWalletStolenDeviceKey, .brokenDeviceKey,
        ]
        + members.map { .altered($0) }

    var testDescription: String { if case .altered(let member) = self { "altered \(member)" } else { "\(self)" } }
}

/// What the token is before.
enum TokenState: CaseIterable, Sendable { case unbound, bound, boundWithoutDeviceKey }

// Serialized: hundreds of stores opened at once keep every other test waiting.
@Suite("Takeover matrix", .serialized)
struct TakeoverTests {
    static let modes: [APIConfiguration.AuthenticationMode] = [.legacy, .mixed, .strict]

    struct Scene: Sendable, CustomTestStringConvertible {
        let takeover: Takeover
        let state: TokenState
        let mode: APIConfiguration.AuthenticationMode
        let unregisters: Bool

        var testDescription: String {
            "\(takeover.testDescription), \(state) token, \(mode), \(unregisters ? "unregister" : "update")"
        }

        /// Whether the rules let it pass: everywhere else the token stays as it was.
        var isAllowed: Bool {
            switch takeover {
            case .unsigned: state == .unbound && mode != .strict
            // Nobody owns an unbound token: whoever signs first does.
            case .otherWallet: state == .unbound
            case .otherDeviceKey:
                state == .unbound || (state == .boundWithoutDeviceKey && unregisters && mode != .strict)
            // Only the key that the token knows has a counter to be stale.
            case .staleCounter: state != .bound || unregisters
            // The wallet's own signature is enough to end a registration.
            case .brokenDeviceKey: unregisters
            case .brokenWalletOtherDeviceKey: state == .boundWithoutDeviceKey && unregisters && mode != .strict
            case .brokenWalletStolenDeviceKey:
                unregisters && (state == .bound || state == .boundWithoutDeviceKey && mode != .strict)
            case .otherWalletStolenDeviceKey:
                state == .unbound
                    || unregisters && (state == .bound || state == .boundWithoutDeviceKey && mode != .strict)
            case .otherMethod, .otherPath, .otherNetwork, .altered: false
            }
        }
    }

    static let scenes: [Scene] = Takeover.all.flatMap { takeover in
        TokenState.allCases.flatMap { state in
            modes.flatMap { mode in
                [false, true].compactMap { unregisters in
                    // An unregister signs no lists: what is said of them is not even read.
                    if unregisters, case .altered(let member) = takeover,
                        ["watched_addresses", "watched_group_ids", "capabilities", "primary_address", "aliases"]
                            .contains(member)
                    {
                        return nil
                    }
                    return Scene(takeover: takeover, state: state, mode: mode, unregisters: unregisters)
                }
            }
        }
    }

    @Test("a token is taken over, or ended, by nobody but its owner", arguments: scenes)
    func scene(_ scene: Scene) async throws {
        let service = try TestService(mode: scene.mode)
        let (owner, key) = (try TestWallet("owner"), try TestDeviceKey("phone"))
        try await service.prepare(scene.state, owner: owner, key: key)
        let before = try #require(try await service.device(token))
        try await service.run { client in
            service.clock.value += 1000
            let (method, path, body) = try await Self.request(client, scene, owner: owner, key: key)
            let used = try service.usedNonces()
            let answer = try await client.send(method, path, body)
            let after = try await service.device(token)
            if scene.isAllowed {
                expectDone(answer)
                if scene.unregisters { #expect(after == nil) } else { #expect(after?.lastSeen == service.clock.value) }
            } else {
                #expect([400, 401].contains(answer.status.code), "\(answer.text)")
                #expect(after == before)
                if case .altered = scene.takeover { #expect(try service.usedNonces() == used) }
            }
        }
        #expect(try await service.store.totals().devices == (scene.isAllowed && scene.unregisters ? 0 : 1))
    }

    private static func request(
        _ client: any TestClientProtocol, _ scene: Scene, owner: TestWallet, key: TestDeviceKey
    ) async throws -> (HTTPRequest.Method, String, [String: Any]) {
        let method: HTTPRequest.Method = scene.unregisters ? .delete : .put
        let path = scene.unregisters ? "/v1/push/unregister" : "/v1/push/update"
        let signer =
            switch scene.takeover {
            case .otherWallet, .otherDeviceKey, .brokenWalletOtherDeviceKey, .otherWalletStolenDeviceKey:
                try TestWallet("thief")
            case .otherNetwork: try TestWallet("owner", network: .testnet(10))
            default: owner
            }
        var request = try await client.challenged(signer, method, path, form: .two)
        if scene.takeover == .otherNetwork { request.primary = owner.address.description }
        switch scene.takeover {
        case .otherDeviceKey, .brokenWalletOtherDeviceKey: request.deviceKey = try TestDeviceKey("other phone")
        case .brokenWalletStolenDeviceKey, .otherWalletStolenDeviceKey, .brokenDeviceKey:
            request.deviceKey = key
            request.counter = 6
        default: break
        }
        if scene.takeover == .staleCounter {
            request.deviceKey = key
            request.counter = 5
        }
        // Signed for one, sent to the other.
        if scene.takeover == .otherMethod { request.method = .post }
        if scene.takeover == .otherPath { request.path = scene.unregisters ? "/v1/push/update" : "/v1/push/register" }
        var body = try request.body()
        switch scene.takeover {
        case .brokenWalletOtherDeviceKey, .brokenWalletStolenDeviceKey:
            try change("signature", in: &body) { _ in String(repeating: "1", count: 128) }
        case .brokenDeviceKey:
            try change("device_auth", in: &body) { value in
                var device = try #require(value as? [String: Any])
                device["counter"] = 7
                return device
            }
        default: break
        }
        if scene.takeover == .unsigned {
            for name in ["auth", "watched_group_ids", "capabilities"] { body[name] = nil }
        }
        if case .altered(let member) = scene.takeover { try alter(member, in: &body) }
        return (method, path, body)
    }

    private static func change(_ member: String, in body: inout [String: Any], _ new: (Any?) throws -> Any) throws {
        var auth = try #require(body["auth"] as? [String: Any])
        auth[member] = try new(auth[member])
        body["auth"] = auth
    }

    private static func alter(_ member: String, in body: inout [String: Any]) throws {
        var auth = try #require(body["auth"] as? [String: Any])
        let thief = try TestWallet("thief")
        switch member {
        case "device_token":
            // The token that is attacked stays; the owner signed for another of his.
            auth["signature"] = try resigned(body, token: String(repeating: "9", count: 64))
        case "watched_addresses": body[member] = try addresses(3)
        case "watched_group_ids": body[member] = [String(repeating: "cd", count: 32)]
        case "capabilities": body[member] = ["group_v1"]
        case "primary_address": body[member] = thief.address.description
        case "aliases": body[member] = ["alpha"]
        case "wallet_pubkey": auth[member] = Hex.encode(thief.publicKey)
        case "wallet_address": auth[member] = thief.address.description
        case "nonce": auth[member] = String(repeating: "0", count: 32)
        case "timestamp_ms": auth[member] = try #require(auth[member] as? UInt64) + 1
        case "expires_at_ms": auth[member] = try #require(auth[member] as? UInt64) - 1
        default: auth[member] = 1
        }
        body["auth"] = auth
    }

    /// The owner's signature under the same request for another token.
    private static func resigned(_ body: [String: Any], token other: String) throws -> String {
        let auth = try #require(body["auth"] as? [String: Any])
        let isUnregister = body["watched_addresses"] == nil
        var request = SignedRequest(
            method: isUnregister ? .delete : .put, path: isUnregister ? "/v1/push/unregister" : "/v1/push/update",
            form: .two, wallet: try TestWallet("owner"), nonce: try #require(auth["nonce"] as? String),
            timestamp: try #require(auth["timestamp_ms"] as? UInt64),
            expiresAt: try #require(auth["expires_at_ms"] as? UInt64))
        request.token = other
        request.addresses = body["watched_addresses"] as? [String] ?? []
        request.groups = body["watched_group_ids"] as? [String] ?? []
        request.capabilities = body["capabilities"] as? [String] ?? []
        request.primary = body["primary_address"] as? String
        request.aliases = body["aliases"] as? [String] ?? []
        return try request.wallet.sign(request.preimage)
    }

    /// What a stranger tries after he has ended a binding by a key of his own.
    enum Attempt: CaseIterable, Sendable { case signed, signedTwice, signedByUpdate, afterUnsigned, afterUnregister }

    @Test(
        "a token that a stranger unregistered is bound again by its owner at once, and by nobody else for seven days",
        arguments: Attempt.allCases, [APIConfiguration.AuthenticationMode.legacy, .mixed])
    func released(attempt: Attempt, mode: APIConfiguration.AuthenticationMode) async throws {
        let service = try TestService(mode: mode)
        let (owner, thief) = (try TestWallet("owner"), try TestWallet("thief"))
        let strangeKey = try TestDeviceKey("other phone")
        try await service.prepare(.boundWithoutDeviceKey, owner: owner, key: strangeKey)
        try await service.run { client in
            var removal = try await client.challenged(thief, .delete, "/v1/push/unregister")
            removal.deviceKey = strangeKey
            expectDone(try await client.send(removal))
            #expect(try await service.device(token) == nil)
            switch attempt {
            case .signed, .signedTwice, .signedByUpdate: break
            case .afterUnsigned: expectDone(try await client.register())
            case .afterUnregister:
                var again = try await client.challenged(thief, .delete, "/v1/push/unregister")
                (again.deviceKey, again.counter) = (strangeKey, 2)
                expectDone(try await client.send(again))
                expectDone(try await client.register())
                expectDone(try await client.send(.delete, "/v1/push/unregister", ["device_token": token]))
            }
            for _ in 0..<(attempt == .signedTwice ? 2 : 1) {
                let answer =
                    attempt == .signedByUpdate
                    ? try await client.send(try await client.challenged(thief, .put, "/v1/push/update"))
                    : try await client.registerSigned(thief, deviceKey: strangeKey, counter: 3)
                try expect(answer, .unauthorized, "device token was bound to another wallet")
            }
            #expect(try await service.device(token)?.walletAddress == nil)
            service.clock.value += ReleasedBinding.lifetime - 1
            try expect(
                try await client.registerSigned(thief), .unauthorized, "device token was bound to another wallet")
            let key = try TestDeviceKey("phone")
            expectDone(try await client.registerSigned(owner, deviceKey: key, counter: 1))
            #expect(try await service.device(token)?.walletAddress == owner.address)
            // With a stored key the same attack is over.
            removal = try await client.challenged(thief, .delete, "/v1/push/unregister")
            removal.deviceKey = strangeKey
            try expect(try await client.send(removal), .unauthorized, "bound to another wallet")
        }
    }

    @Test("after seven days, or the operator's removal, any wallet binds a token again", arguments: [false, true])
    func forgotten(byOperator: Bool) async throws {
        let service = try TestService()
        let (owner, thief) = (try TestWallet("owner"), try TestWallet("thief"))
        let strangeKey = try TestDeviceKey("other phone")
        try await service.prepare(.boundWithoutDeviceKey, owner: owner, key: strangeKey)
        try await service.run { client in
            var removal = try await client.challenged(thief, .delete, "/v1/push/unregister")
            removal.deviceKey = strangeKey
            expectDone(try await client.send(removal))
            if byOperator {
                try await service.registry.remove(DeviceID(token: try #require(Hex.decode(token))))
            } else {
                service.clock.value += ReleasedBinding.lifetime
            }
            expectDone(try await client.registerSigned(thief))
        }
    }

    /// Who ends a registration so that the phone's next wallet can bind its token at once.
    enum Ending: CaseIterable, Sendable { case byWallet, byStoredKey, byWalletWithoutStoredKey }

    @Test("a wallet that signs out, and a phone that proves by its stored key that it is the same, hand the token on")
    func handedOn() async throws {
        for ending in Ending.allCases {
            for mode in Self.modes {
                let service = try TestService(mode: mode)
                let (owner, next, key) = (try TestWallet("owner"), try TestWallet("next"), try TestDeviceKey("phone"))
                let state = ending == .byWalletWithoutStoredKey ? TokenState.boundWithoutDeviceKey : .bound
                try await service.prepare(state, owner: owner, key: key)
                try await service.run { client in
                    var removal = try await client.challenged(
                        ending == .byStoredKey ? next : owner, .delete, "/v1/push/unregister")
                    if ending != .byWallet { (removal.deviceKey, removal.counter) = (key, 6) }
                    expectDone(try await client.send(removal))
                    expectDone(try await client.registerSigned(next, deviceKey: key, counter: 7))
                }
                #expect(try await service.device(token)?.walletAddress == next.address)
                #expect(try service.store.checkBooks().rows[.releasedBindings] == 0)
            }
        }
    }

    @Test("the owner is let in, in each state and mode", arguments: TokenState.allCases, modes)
    func owner(state: TokenState, mode: APIConfiguration.AuthenticationMode) async throws {
        for form in SignedRequest.Form.allCases {
            for app in ["kasia", "kchat"] {
                let service = try TestService(mode: mode)
                let (owner, key) = (try TestWallet("owner"), try TestDeviceKey("phone"))
                try await service.prepare(state, owner: owner, key: key)
                try await service.run { client in
                    for (method, call) in UnsignedRequestTests.calls {
                        var request = try await client.challenged(owner, method, "/v1/push/\(call)", form: form)
                        request.app = app
                        expectDone(try await client.send(request))
                    }
                }
                #expect(try await service.device(token) == nil)
            }
        }
    }
}

extension TestService {
    /// Registers the token as it would have been, without the API.
    func prepare(_ state: TokenState, owner: TestWallet, key: TestDeviceKey) async throws {
        let bytes = try #require(Hex.decode(token))
        let address = try Address(parsing: try addresses(1)[0])
        let use = DeviceKeyUse(keyID: try #require(Hex.decode(key.keyID)), counter: 5)
        let proof: WalletProof? =
            switch state {
            case .unbound: nil
            case .bound: WalletProof(wallet: owner.address, deviceKey: use)
            case .boundWithoutDeviceKey: WalletProof(wallet: owner.address)
            }
        try await registry.register(
            Registration(token: bytes, platform: .ios, watchedAddresses: [address]), proof: proof)
    }
}
