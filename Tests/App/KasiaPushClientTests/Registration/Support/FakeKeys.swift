import Crypto
import KasiaPushCore
import Kaspa

/// A wallet's key whose signatures `ModelService` can check without an elliptic curve.
struct FakeWalletKey: WalletKey {
    let publicKey: [UInt8]

    init(_ number: Int) {
        publicKey = Array(SHA256.hash(data: Array("wallet \(number)".utf8)))
    }

    /// Its address in Kaspa's main network.
    var address: String {
        Address(prefix: .kaspa, version: .schnorr, payload: publicKey).map { "\($0)" } ?? ""
    }

    func signature(ofDigest digest: [UInt8]) async throws -> [UInt8] {
        FakeWalletKey.signature(of: digest, by: publicKey)
    }

    static func signature(of digest: [UInt8], by key: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: key + digest)) + Array(SHA256.hash(data: digest + key))
    }
}

/// A device's key of the same kind; it reports each counter that it signs.
struct FakeDeviceKey: DeviceKey {
    let publicKey: [UInt8]
    let signed: @Sendable (_ counter: UInt64) async -> Void

    init(_ number: Int, signed: @escaping @Sendable (_ counter: UInt64) async -> Void = { _ in }) {
        let half = Array(SHA256.hash(data: Array("device \(number)".utf8)))
        publicKey = [4] + half + half
        self.signed = signed
    }

    func signature(of message: [UInt8]) async throws -> [UInt8] {
        let lines = String(decoding: message, as: UTF8.self).split(separator: "\n")
        let counter = lines.first { $0.hasPrefix("counter=") }.flatMap { UInt64($0.dropFirst("counter=".count)) }
        if let counter { await signed(counter) }
        return FakeDeviceKey.signature(of: message, by: publicKey)
    }

    static func signature(of message: [UInt8], by key: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: key + message)) + Array(SHA256.hash(data: message + key))
    }
}

/// Shapes of tokens, numbered.
enum SomeToken {
    static func apns(_ number: Int) throws -> PushToken {
        try .apns(Array(SHA256.hash(data: Array("token \(number)".utf8))))
    }
}
