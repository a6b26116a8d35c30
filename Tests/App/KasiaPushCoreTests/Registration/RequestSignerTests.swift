import Crypto
import Foundation
import JSON
import KasiaPushSecp256k1
import Kaspa
import Testing

@testable import KasiaPushCore

@Suite("Request signer")
struct RequestSignerTests {
    private let person = Person("signer")
    private let device = SoftwareDeviceKey()
    private let challenge = PushChallenge(
        nonce: "5b9b76474823624f5f3e52ad1f5e7985", issuedAt: 1_767_225_600_000, expiresAt: 1_767_225_660_000)

    private func token() throws -> PushToken { try PushToken.apns(Array(0..<32)) }

    private func signer(_ domain: SignatureDomain = .kasia) -> RequestSigner {
        RequestSigner(wallet: person.key, walletAddress: person.address, device: device, domain: domain)
    }

    /// Whether the wallet has signed this text.
    private func isSigned(_ text: String, _ auth: RequestAuthorization) -> Bool {
        LibSecp256k1().isValid(
            signature: Hex.decode(auth.signature) ?? [], message: Array(SHA256.hash(data: Array(text.utf8))),
            publicKey: person.key.publicKey)
    }

    @Test(
        "signs every call, in both versions and for both domains",
        arguments: SignedCall.allCases, SignatureDomain.allCases)
    func everyCall(call: SignedCall, domain: SignatureDomain) async throws {
        for version in SignatureVersion.allCases {
            let lists = call == .ring ? SignedLists.ring(from: person.address) : SignedLists.empty
            let auth = try await signer(domain).authorization(
                call, token: token(), lists: lists, version: version, challenge: challenge, counter: 7)
            let text = SignedText(
                domain: domain, method: call.method, path: call.path, token: call.namesToken ? try token() : nil,
                challenge: challenge)
            #expect(
                isSigned(
                    text.ofWallet(
                        lists, version: version, key: Hex.encode(person.key.publicKey), address: person.address), auth))
            let part = try #require(auth.device)
            let signature = try P256.Signing.ECDSASignature(
                derRepresentation: base64(part.signature))
            let key = try P256.Signing.PublicKey(x963Representation: device.publicKey)
            #expect(
                key.isValidSignature(signature, for: Array(text.ofDevice(keyID: part.keyID, counter: 7).utf8)))
            #expect(part.keyID == Hex.encode(SHA256.hash(data: device.publicKey)))
        }
    }

    @Test("writes the members that the service reads")
    func members() async throws {
        let auth = try await signer().authorization(
            .register, token: token(), lists: SignedLists(watchedAddresses: [person.address]), challenge: challenge,
            counter: 1)
        guard case .object(let members) = try JSONParser.parse(Array(try JSONEncoder().encode(auth))),
            case .object(let part) = members["device_auth"]
        else {
            Issue.record("no object")
            return
        }
        var plain = members
        plain["device_auth"] = nil
        #expect(
            plain == [
                "wallet_pubkey": .string(Hex.encode(person.key.publicKey)), "wallet_address": .string(person.address),
                "nonce": .string(challenge.nonce), "timestamp_ms": .integer(1_767_225_600_000),
                "expires_at_ms": .integer(1_767_225_660_000), "signature": .string(auth.signature),
                "auth_version": .integer(2),
            ])
        #expect(auth.signature.utf8.count == 128)
        #expect(
            part == [
                "scheme": .string("device_key_v1"), "key_id": .string(try #require(auth.device).keyID),
                "pubkey": .string(Data(device.publicKey).base64EncodedString()), "counter": .integer(1),
                "signature": .string(try #require(auth.device).signature),
            ])
    }

    @Test("leaves out the version of version 1, and a device key without a counter")
    func absentMembers() async throws {
        let auth = try await signer().authorization(.status, token: token(), version: .v1, challenge: challenge)
        let json = String(decoding: try JSONEncoder().encode(auth), as: UTF8.self)
        #expect(!json.contains("auth_version") && !json.contains("device_auth"))
    }

    @Test("normalises the wallet's address")
    func address() async throws {
        let signer = RequestSigner(
            wallet: person.key, walletAddress: " \(person.address.uppercased())\n", device: nil)
        let auth = try await signer.authorization(.status, token: token(), challenge: challenge)
        #expect(auth.walletAddress == person.address)
    }

    @Test("signs an unregister by the device key alone, where the wallet is gone")
    func deviceAlone() async throws {
        let signer = RequestSigner(wallet: nil, walletAddress: person.address, device: device)
        let auth = try await signer.authorization(.unregister, token: token(), challenge: challenge, counter: 3)
        #expect(auth.signature == String(repeating: "0", count: 128))
        #expect(auth.walletPublicKey == Hex.encode(person.key.publicKey))
        #expect(auth.device?.counter == 3)
        await #expect(throws: RequestSignerError.walletKeyMissing) {
            try await signer.authorization(.unregister, token: token(), challenge: challenge)
        }
        for call in SignedCall.allCases where call != .unregister {
            await #expect(throws: RequestSignerError.walletKeyMissing) {
                try await signer.authorization(call, token: token(), challenge: challenge, counter: 3)
            }
        }
    }

    @Test("refuses another wallet's address, one of another version, and none")
    func wrongAddress() async throws {
        let ecdsa = try #require(
            Address(prefix: .kaspa, version: .ecdsa, payload: [2] + person.key.publicKey)
        ).description
        for address in [Person("other").address, ecdsa, "kaspa:q", "", nil] {
            await #expect(throws: RequestSignerError.wrongWalletAddress) {
                try await RequestSigner(wallet: person.key, walletAddress: address, device: nil)
                    .authorization(.status, token: token(), challenge: challenge)
            }
        }
    }

    @Test("refuses what the service would refuse: capabilities in version 1, a counter of 0")
    func refusals() async throws {
        let lists = SignedLists(capabilities: ["group_v1"])
        await #expect(throws: RequestSignerError.capabilitiesNeedVersion2) {
            try await signer().authorization(
                .register, token: token(), lists: lists, version: .v1, challenge: challenge)
        }
        await #expect(throws: RequestSignerError.counterIsZero) {
            try await signer().authorization(.status, token: token(), challenge: challenge, counter: 0)
        }
        _ = try await signer().authorization(.status, token: token(), challenge: challenge, counter: .max)
    }

    private struct BadKey: WalletKey, DeviceKey {
        let publicKey: [UInt8]
        let length: Int
        func signature(ofDigest digest: [UInt8]) async throws -> [UInt8] { Array(repeating: 1, count: length) }
        func signature(of message: [UInt8]) async throws -> [UInt8] { Array(repeating: 1, count: length) }
    }

    @Test("refuses signatures of impossible lengths", arguments: [0, 63, 65])
    func walletLengths(length: Int) async throws {
        let key = BadKey(publicKey: person.key.publicKey, length: length)
        await #expect(throws: RequestSignerError.wrongLength) {
            try await RequestSigner(wallet: key, walletAddress: person.address, device: nil)
                .authorization(.status, token: token(), challenge: challenge)
        }
    }

    @Test("refuses device keys of impossible lengths", arguments: [(65, 7), (65, 73), (64, 64), (33, 72)])
    func deviceLengths(key: Int, signature: Int) async throws {
        let bad = BadKey(publicKey: Array(repeating: 4, count: key), length: signature)
        await #expect(throws: RequestSignerError.wrongLength) {
            try await RequestSigner(wallet: person.key, walletAddress: person.address, device: bad)
                .authorization(.status, token: token(), challenge: challenge, counter: 1)
        }
    }

    @Test("signs only calls that the service has")
    func paths() throws {
        let data = try Data(
            contentsOf: URL(filePath: #filePath).appending(
                path: "../../../../../Sources/API/Assets/openapi.json"
            ).standardized)
        guard case .object(let document) = try JSONParser.parse(Array(data)),
            case .object(let paths) = document["paths"]
        else {
            Issue.record("no document")
            return
        }
        for call in SignedCall.allCases {
            guard case .object(let methods) = paths[call.path] else {
                Issue.record("no path \(call.path)")
                continue
            }
            #expect(methods[call.method.lowercased()] != nil)
        }
    }

    @Test("is not printed, nor are its keys")
    func printing() {
        var dumped = ""
        dump(signer(), to: &dumped)
        dump(device, to: &dumped)
        dump(person.key, to: &dumped)
        #expect("\(signer()) \(device) \(person.key)" == "… … …")
        for secret in [person.secret, device.secret] {
            #expect(!dumped.contains(Hex.encode(secret)) && !dumped.contains("\(secret[0]), \(secret[1])"))
        }
        #expect(dumped.split(separator: "\n").count == 3)
    }
}
