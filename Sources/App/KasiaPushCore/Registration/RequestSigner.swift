import Crypto
import Kaspa

/// Why a call cannot be signed; the fault is the app's, but for the keys' own errors.
public enum RequestSignerError: Error, Equatable, Sendable {
    /// There is no wallet key, and a device key alone signs only an unregister.
    case walletKeyMissing
    /// There is no wallet address, or it is not the version-0 address of the wallet's key.
    case wrongWalletAddress
    /// A key or signature of a length that its algorithm does not have.
    case wrongLength
    /// Version 1 cannot sign capabilities.
    case capabilitiesNeedVersion2
    /// A device key's counter begins at 1.
    case counterIsZero
}

extension RequestSignerError: CustomStringConvertible {
    /// What is wrong, in a sentence.
    public var description: String {
        switch self {
        case .walletKeyMissing: "Only an unregister can be signed without the wallet's key."
        case .wrongWalletAddress: "The wallet address is missing, or is not the address of the wallet's key."
        case .wrongLength: "A key or signature has a length that its algorithm does not have."
        case .capabilitiesNeedVersion2: "Capabilities need version 2 of the signature."
        case .counterIsZero: "A device key's counter begins at 1."
        }
    }
}

/// Signs the calls of an app: makes their member `auth` (registration-auth.md).
public struct RequestSigner: Sendable {
    private let wallet: (any WalletKey)?
    private let walletAddress: String?
    private let device: (any DeviceKey)?
    private let domain: SignatureDomain

    /// Takes the keys.
    ///
    /// - Parameters:
    ///   - wallet: The wallet's key. Without one only an unregister can be signed, by the device key.
    ///   - walletAddress: The wallet's address on the service's network; always needed, as the service asks for it.
    ///   - device: The device's key, if it signs, too.
    ///   - domain: Whose text is signed.
    public init(
        wallet: (any WalletKey)?, walletAddress: String?, device: (any DeviceKey)?, domain: SignatureDomain = .kasia
    ) {
        self.wallet = wallet
        self.walletAddress = walletAddress
        self.device = device
        self.domain = domain
    }

    /// Signs one call with a fresh challenge.
    ///
    /// - Parameters:
    ///   - method: The request's method, in upper case.
    ///   - path: The request's path without the query.
    ///   - token: The device's token; nil for calls about a wallet (`devices`, `wallet`).
    ///   - lists: What the body has of the signed members.
    ///   - version: The version of the wallet's text.
    ///   - challenge: The answer to `POST /v1/push/challenge`, used for this call alone.
    ///   - counter: The device key's next number, at least 1; nil: the device key does not sign.
    /// - Returns: The member `auth` for the body.
    /// - Throws: `RequestSignerError`, or what a key throws.
    public func authorization(
        method: String, path: String, token: PushToken?, lists: SignedLists, version: SignatureVersion,
        challenge: PushChallenge, counter: UInt64?
    ) async throws -> RequestAuthorization {
        guard version == .v2 || lists.capabilities.isEmpty else {
            throw RequestSignerError.capabilitiesNeedVersion2
        }
        let address = try address()
        let key = Hex.encode(address.payload)
        let text = SignedText(domain: domain, method: method, path: path, token: token, challenge: challenge)
        let part = try await devicePart(text, counter: counter)
        let signature: [UInt8]
        if let wallet {
            let signed = text.ofWallet(lists, version: version, key: key, address: address.description)
            signature = try await wallet.signature(ofDigest: Array(SHA256.hash(data: Array(signed.utf8))))
            guard signature.count == RequestSigner.signatureBytes else { throw RequestSignerError.wrongLength }
        } else {
            guard part != nil, path == SignedCall.unregister.path else { throw RequestSignerError.walletKeyMissing }
            // The service wants the member, and does not ask that it verifies beside a valid device signature.
            signature = Array(repeating: 0, count: RequestSigner.signatureBytes)
        }
        return RequestAuthorization(
            walletPublicKey: key, walletAddress: address.description, nonce: challenge.nonce,
            timestamp: challenge.issuedAt, expiresAt: challenge.expiresAt, signature: Hex.encode(signature),
            version: version == .v2 ? version.rawValue : nil, device: part)
    }

    /// Signs one of the service's calls.
    ///
    /// See `authorization(method:path:token:lists:version:challenge:counter:)`.
    public func authorization(
        _ call: SignedCall, token: PushToken?, lists: SignedLists = .empty, version: SignatureVersion = .v2,
        challenge: PushChallenge, counter: UInt64? = nil
    ) async throws -> RequestAuthorization {
        try await authorization(
            method: call.method, path: call.path, token: call.namesToken ? token : nil, lists: lists,
            version: version, challenge: challenge, counter: counter)
    }

    private static let signatureBytes = 64
    private static let deviceKeyBytes = 65
    private static let deviceSignatureBytes = 8...72

    private func address() throws -> Address {
        guard let walletAddress, let address = try? Address(parsing: walletAddress.trimmed),
            address.version == .schnorr, wallet.map({ $0.publicKey == address.payload }) ?? true
        else { throw RequestSignerError.wrongWalletAddress }
        return address
    }

    private func devicePart(_ text: SignedText, counter: UInt64?) async throws -> RequestAuthorization.Device? {
        guard let device, let counter else { return nil }
        guard counter > 0 else { throw RequestSignerError.counterIsZero }
        let key = device.publicKey
        let keyID = Hex.encode(SHA256.hash(data: key))
        let signature = try await device.signature(of: Array(text.ofDevice(keyID: keyID, counter: counter).utf8))
        guard key.count == RequestSigner.deviceKeyBytes,
            RequestSigner.deviceSignatureBytes.contains(signature.count)
        else { throw RequestSignerError.wrongLength }
        return RequestAuthorization.Device(
            scheme: "device_key_v1", keyID: keyID, publicKey: Base64.encode(key), counter: counter,
            signature: Base64.encode(signature))
    }
}

extension RequestSigner: Redacted {}
