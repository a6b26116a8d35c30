import Crypto
import FoundationEssentials
import JWTKit
import Synchronization

/// Judges the provider tokens of all connections: signature, team, age, and how often they change.
///
/// A signature is verified once for each token, so that a benchmark does not measure ECDSA.
final class ProviderTokenVerifier: Sendable {
    /// A token whose signature and team are right.
    struct Verified: Sendable {
        let keyID: String
        let issuedAt: Date
    }

    /// A provider token is accepted for an hour.
    static let lifetimeSeconds: Double = 3600
    /// A key's token may be replaced every 20 minutes.
    static let updateIntervalSeconds: Double = 1200
    /// Verdicts remembered; a client needs one an hour, so this many are plenty.
    private static let cacheSize = 64
    /// Tokens remembered for each key: those still valid are at most four when the update rule holds.
    private static let recentTokens = 16

    private struct State {
        /// nil: known to be invalid.
        var verdicts: [String: Verified?] = [:]
        var updates: [String: (accepted: [String], at: Date)] = [:]
    }

    private let teamID: String
    private let keys: [String: P256.Signing.PublicKey]
    private let limitsUpdates: Bool
    private let state = Mutex(State())

    init(configuration: SandboxConfiguration) throws(SandboxError) {
        teamID = configuration.teamID
        limitsUpdates = configuration.limitsProviderTokenUpdates
        var keys: [String: P256.Signing.PublicKey] = [:]
        for (keyID, pem) in configuration.keys {
            if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
                keys[keyID] = key.publicKey
            } else if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
                keys[keyID] = key
            } else {
                throw SandboxError(.invalidKey, "The key \(keyID) is not a P-256 key in PEM.")
            }
        }
        self.keys = keys
    }

    /// The verified content of `token`, or nil if it is not one of our team's.
    func verified(_ token: String) -> Verified? {
        if let verdict = state.withLock({ $0.verdicts[token] }) { return verdict }
        let verdict = verify(token)
        state.withLock {
            if $0.verdicts.count >= Self.cacheSize { $0.verdicts.removeAll(keepingCapacity: true) }
            $0.verdicts[token] = .some(verdict)
        }
        return verdict
    }

    /// Whether `verified` has an age that Apple accepts: no older than an hour, and not from the future.
    static func isCurrent(_ verified: Verified, at now: Date) -> Bool {
        let age = now.timeIntervalSince(verified.issuedAt)
        return age >= 0 && age <= lifetimeSeconds
    }

    /// Whether `token` may be used now: it is known, the key's first, or 20 minutes after the key's last new one.
    ///
    /// Requests that still carry the former token after a change are no update.
    func admitsUse(of token: String, keyID: String, at now: Date) -> Bool {
        guard limitsUpdates else { return true }
        return state.withLock {
            guard var update = $0.updates[keyID] else {
                $0.updates[keyID] = ([token], now)
                return true
            }
            if update.accepted.contains(token) { return true }
            guard now.timeIntervalSince(update.at) >= Self.updateIntervalSeconds else { return false }
            update.accepted.append(token)
            if update.accepted.count > Self.recentTokens { update.accepted.removeFirst() }
            update.at = now
            $0.updates[keyID] = update
            return true
        }
    }

    private func verify(_ token: String) -> Verified? {
        let bytes = Array(token.utf8)
        guard
            let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
            let (header, claims, signature) = try? DefaultJWTParser().parse(bytes, as: ProviderTokenClaims.self),
            header.alg == "ES256", let keyID = header.kid, let key = keys[keyID], claims.iss == teamID,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(signature, for: bytes[..<dot])
        else { return nil }
        return Verified(keyID: keyID, issuedAt: claims.iat)
    }
}
