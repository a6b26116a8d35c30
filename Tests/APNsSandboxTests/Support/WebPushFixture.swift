import Crypto
import FoundationEssentials

@testable import APNsSandbox

/// What an application server needs to send to a browser.
enum WebPushFixture {
    static let plainText = Array(#"{"title":"Hello","body":"World","type":"payment","sender":"kaspa:qq"}"#.utf8)
    static let topic = "AbC-_0123456789"

    /// A message without a fault.
    static func message(
        _ fixture: SandboxFixture, to subscription: SandboxSubscription, from key: P256.Signing.PrivateKey,
        _ plainText: [UInt8] = plainText
    ) throws -> TestRequest {
        TestRequest(
            path: String(subscription.endpoint.dropFirst(fixture.sandbox.origin.count)),
            headers: [
                ("ttl", "60"), ("urgency", "high"), ("topic", topic), ("content-encoding", "aes128gcm"),
                ("authorization", try authorization(fixture, key)),
            ], body: try encrypt(plainText, for: subscription))
    }

    /// A VAPID header; `claims` and `header` replace the usual JSON.
    static func authorization(
        _ fixture: SandboxFixture, _ key: P256.Signing.PrivateKey, audience: String? = nil, lifetime: Int = 3600,
        subject: String? = "mailto:push@example.org", header: String = #"{"typ":"JWT","alg":"ES256"}"#
    ) throws -> String {
        let end = Int(fixture.clock.now.timeIntervalSince1970) + lifetime
        let contact = subject.map { #","sub":"\#($0)""# } ?? ""
        let claims = #"{"aud":"\#(audience ?? fixture.sandbox.origin)","exp":\#(end)\#(contact)}"#
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        let signature = try key.signature(for: Data(text.utf8))
        return "vapid t=\(text).\(Base64URL.encode(signature.rawRepresentation)),k=\(publicKey(key))"
    }

    static func publicKey(_ key: P256.Signing.PrivateKey) -> String {
        Base64URL.encode(key.publicKey.x963Representation)
    }

    /// Encrypts as RFC 8291 says, with `padding` zeros after the delimiter.
    static func encrypt(
        _ plainText: [UInt8], for subscription: SandboxSubscription, padding: Int = 0, recordSize: UInt32 = 4096
    ) throws -> [UInt8] {
        let receiver = try P256.KeyAgreement.PublicKey(
            x963Representation: Base64URL.decode(subscription.p256dh) ?? [])
        let sender = P256.KeyAgreement.PrivateKey()
        let salt = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
        let shared = try sender.sharedSecretFromKeyAgreement(with: receiver)
        let info =
            Data("WebPush: info\0".utf8) + receiver.x963Representation + sender.publicKey.x963Representation
        let input = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Base64URL.decode(subscription.auth) ?? [], sharedInfo: info,
            outputByteCount: 32)
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Data("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
        let nonce = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Data("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        let box = try AES.GCM.seal(
            plainText + [2] + [UInt8](repeating: 0, count: padding), using: key,
            nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Data($0) }))
        let size = (0..<4).map { UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * $0)) }
        return salt + size + [65] + sender.publicKey.x963Representation + box.ciphertext + box.tag
    }
}

/// Runs `body` against a sandbox that plays a Web Push service too, with a subscription and a sender's key.
func withWebPush(
    _ configure: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (SandboxFixture, TestConnection, SandboxSubscription, P256.Signing.PrivateKey) async throws -> Void
) async throws {
    try await withSandbox({ configuration in
        configuration.webPush = true
        configure(&configuration)
    }) { fixture in
        let subscription = fixture.sandbox.makeSubscription(id: "sub-1_A")
        try await body(fixture, try await fixture.connect(), subscription, P256.Signing.PrivateKey())
    }
}
