import Crypto
import FoundationEssentials
import JWTKit
import Synchronization

/// Checks who sends to a Web Push service: the VAPID token and key of the `authorization` header (RFC 8292).
///
/// Each token's signature is verified once, so that a benchmark does not measure ECDSA.
final class VAPIDVerifier: Sendable {
    /// The farthest that `exp` may lie ahead.
    static let longestLifetimeSeconds: Double = 24 * 3600
    /// The number of cached results.
    private static let cacheSize = 256

    private struct Verified: Sendable {
        let key: [UInt8]
        let claims: VAPIDClaims
    }

    private let verdicts = Mutex<[String: Verified?]>([:])

    /// What is wrong with an `authorization` header; nil if the sender may send.
    ///
    /// `restriction` is the only public key that may; nil for any.
    func fault(
        of authorization: String?, origins: Set<String>, restriction: [UInt8]?, at now: Date
    ) -> WebPushFault? {
        guard let authorization else { return .missingAuthorization }
        guard let parameters = Self.parameters(of: authorization), let token = parameters["t"],
            let key = parameters["k"]
        else { return .badAuthorization }
        guard let verified = verified(token, key) else { return .badSignature }
        guard verified.claims.aud.map({ origins.contains($0) }) == true else { return .badAudience }
        guard let end = verified.claims.exp, Self.isTimely(end, at: now) else { return .badExpiration }
        guard Self.isContact(verified.claims.sub) else { return .badSubject }
        return restriction == nil || restriction == verified.key ? nil : .wrongKey
    }

    /// The parameters of `vapid t=…, k=…`, in any order; nil for another scheme or a parameter that comes twice.
    static func parameters(of authorization: String) -> [String: String]? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "vapid" else { return nil }
        var parameters: [String: String] = [:]
        for part in parts[1].split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { return nil }
            let name = pair[0].drop { $0 == " " }
            guard parameters.updateValue(String(pair[1]), forKey: String(name)) == nil else { return nil }
        }
        return parameters
    }

    private static func isTimely(_ end: Double, at now: Date) -> Bool {
        let time = now.timeIntervalSince1970
        return end > time && end <= time + longestLifetimeSeconds
    }

    /// Whether `subject` tells the operator of a push service how to reach the sender.
    private static func isContact(_ subject: String?) -> Bool {
        ["mailto:", "https:"].contains { scheme in
            subject.map { $0.hasPrefix(scheme) && $0.utf8.count > scheme.utf8.count } ?? false
        }
    }

    private func verified(_ token: String, _ key: String) -> Verified? {
        let name = "\(token),\(key)"
        if let verdict = verdicts.withLock({ $0[name] }) { return verdict }
        let verdict = Self.verify(token, key)
        verdicts.withLock {
            if $0.count >= Self.cacheSize { $0.removeAll(keepingCapacity: true) }
            $0[name] = .some(verdict)
        }
        return verdict
    }

    private static func verify(_ token: String, _ key: String) -> Verified? {
        let bytes = Array(token.utf8)
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), let point = Base64URL.decode(key),
            let publicKey = try? P256.Signing.PublicKey(x963Representation: point),
            let (header, claims, signature) = try? DefaultJWTParser().parse(bytes, as: VAPIDClaims.self),
            header.alg == "ES256",
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            publicKey.isValidSignature(signature, for: bytes[..<dot])
        else { return nil }
        return Verified(key: point, claims: claims)
    }
}

/// The claims of a VAPID token.
private struct VAPIDClaims: JWTPayload {
    let aud: String?
    /// UNIX seconds.
    let exp: Double?
    let sub: String?

    func verify(using algorithm: some JWTAlgorithm) {
        // VAPIDVerifier checks the claims: it has the clock.
    }
}
