import Crypto
import FoundationEssentials
import JWTKit
import Synchronization

/// Checks the provider tokens of all connections: signature, team, age, and how often they change.
///
/// Each token's signature is verified once, so that a benchmark does not measure ECDSA.
final class ProviderTokenVerifier: Sendable {
    /// The content of a token whose signature and team are valid.
    struct Verified: Sendable {
        let keyID: String
        let issuedAt: Date
    }

    /// How long Apple accepts a provider token: an hour.
    static let lifetimeSeconds: Double = 3600
    /// How often Apple lets a key's token change: every 20 minutes.
    static let updateIntervalSeconds: Double = 1200
    /// The number of cached results.
    ///
    /// A client needs a new one each hour.
    private static let cacheSize = 64
    /// The number of tokens remembered for each key.
    ///
    /// At one every 20 minutes, at most four are valid at once.
    private static let recentTokens = 16

    private struct State {
        /// The content of each token seen; nil for an invalid one.
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

    /// The content of `token`; nil if it is not signed by our team's key.
    func verified(_ token: String) -> Verified? {
        if let verdict = state.withLock({ $0.verdicts[token] }) { return verdict }
        let verdict = verify(token)
        state.withLock {
            if $0.verdicts.count >= Self.cacheSize { $0.verdicts.removeAll(keepingCapacity: true) }
            $0.verdicts[token] = .some(verdict)
        }
        return verdict
    }

    /// Whether Apple would accept the token's age: at most an hour old, and not from the future.
    static func isCurrent(_ verified: Verified, at now: Date) -> Bool {
        let age = now.timeIntervalSince(verified.issuedAt)
        return age >= 0 && age <= lifetimeSeconds
    }

    /// Whether `token` may be used now: it is known, is the key's first, or comes 20 minutes after the key's last new
    /// one.
    ///
    /// A request that still carries the previous token is not an update.
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

/// The two claims of Apple's provider token.
struct ProviderTokenClaims: JWTPayload {
    /// The team id.
    let iss: String
    /// When it was signed.
    ///
    /// The default decoder takes only a JSON number of seconds.
    let iat: Date

    func verify(using algorithm: some JWTAlgorithm) {
        // ProviderTokenVerifier checks team and age: it has the clock.
    }
}
