import Crypto
import Store
import WebPush

/// Sealing a Web Push message.
///
/// The yardstick makes the same primitives in a bare loop: a key pair, one agreement on P-256, HKDF's two extractions
/// and three expansions, and AES-128-GCM, with all their inputs at hand and their outputs dropped.
struct EncryptionBenchmark: Benchmark {
    static let name = "encryption"
    private static let messageBytes = 1_000

    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let count = scale.notifications / 10
        let receiver = P256.KeyAgreement.PrivateKey().publicKey
        let secret = [UInt8](repeating: 7, count: DeviceRecord.SubscriptionKeys.secretBytes)
        let keys = DeviceRecord.SubscriptionKeys(publicKey: Array(receiver.x963Representation), secret: secret)
        let message = [UInt8](repeating: 7, count: Self.messageBytes)
        func microseconds(_ seconds: Double) -> Double { seconds / Double(count) * 1e6 }
        let (ours, bare) = try Measure.inTurns(scale.repetitions) {
            microseconds(
                try Measure.seconds {
                    for _ in 0..<count {
                        let sealed = try MessageEncryption.seal(message, for: keys)
                        guard sealed.count == Self.messageBytes + 103 else {
                            throw BenchmarkError("A sealed message has \(sealed.count) bytes.")
                        }
                    }
                })
        } _: {
            microseconds(try Measure.seconds { for _ in 0..<count { try primitives(message, receiver, secret) } })
        }
        return [
            Row(
                "seal a Web Push message of \(Self.messageBytes) B", ours, "µs", against: "the bare primitives", bare)
        ]
    }

    private func primitives(
        _ message: [UInt8], _ receiver: P256.KeyAgreement.PublicKey, _ secret: [UInt8]
    ) throws {
        let agreed = try P256.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: receiver)
        let input = agreed.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret, sharedInfo: secret, outputByteCount: 32)
        let root = HKDF<SHA256>.extract(inputKeyMaterial: input, salt: secret)
        let key = HKDF<SHA256>.expand(pseudoRandomKey: root, info: secret, outputByteCount: 16)
        let nonce = HKDF<SHA256>.expand(pseudoRandomKey: root, info: secret, outputByteCount: 12)
        let box = try AES.GCM.seal(
            message, using: key, nonce: nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0) })
        guard box.ciphertext.count == message.count else { throw BenchmarkError("A message was sealed in part.") }
    }
}
