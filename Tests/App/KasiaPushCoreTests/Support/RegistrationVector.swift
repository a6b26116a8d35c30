import Foundation
import KasiaPushCore
import Testing

/// One of `registration-auth.json`: a request, and the texts that its signatures are over.
struct RegistrationVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Request: Decodable, Sendable {
        let deviceToken: String
        let watchedAddresses: [String]?
        let watchedGroupIds: [String]?
        let capabilities: [String]?
        let aliases: [String]?
        let primaryAddress: String?
        let auth: Auth
    }

    struct Auth: Decodable, Sendable {
        let walletPubkey: String
        let walletAddress: String
        let nonce: String
        let timestampMs: Int64
        let expiresAtMs: Int64
        let signature: String
        let authVersion: Int?
        let deviceAuth: Device?
    }

    struct Device: Decodable, Sendable {
        let keyId: String
        let pubkey: String
        let counter: UInt64
        let signature: String
    }

    let name: String
    let method: String
    let path: String
    let request: Request
    let preimage: String
    let preimageSha256: String
    let devicePreimage: String?
    let valid: Bool

    var testDescription: String { name }

    static func load() throws -> [RegistrationVector] {
        try Fixture.decode([RegistrationVector].self, "registration-auth")
    }

    static let all: [RegistrationVector] = (try? load()) ?? []

    var domain: SignatureDomain { preimage.hasPrefix("domain=kchat") ? .kchat : .kasia }
    var version: SignatureVersion { request.auth.authVersion == 2 ? .v2 : .v1 }

    var lists: SignedLists {
        SignedLists(
            watchedAddresses: request.watchedAddresses ?? [], watchedGroupIDs: request.watchedGroupIds,
            capabilities: request.capabilities ?? [], aliases: request.aliases ?? [],
            primaryAddress: request.primaryAddress)
    }

    func text() throws -> SignedText {
        SignedText(
            domain: domain, method: method, path: path, token: try PushToken(request.deviceToken),
            challenge: PushChallenge(
                nonce: request.auth.nonce, issuedAt: request.auth.timestampMs, expiresAt: request.auth.expiresAtMs))
    }
}
