import Crypto
import CryptoExtras

/// The Google project that the sandbox plays: its service account, and how long access tokens live.
public struct GoogleStandIn: Sendable, CustomStringConvertible {
    /// The project's id, which the path of a message names.
    public let projectID: String
    /// The service account's address, the `iss` of an assertion.
    public let clientEmail: String
    /// The id of the account's key, the `kid` of an assertion.
    public let privateKeyID: String
    /// The account's private key: RSA, PKCS#8 in PEM.
    public let privateKeyPEM: String
    /// How long an access token is good, seconds; the answer's `expires_in`.
    public var tokenLifetimeSeconds = 3599

    /// A service account with a key of your own.
    public init(projectID: String, clientEmail: String, privateKeyID: String, privateKeyPEM: String) {
        self.projectID = projectID
        self.clientEmail = clientEmail
        self.privateKeyID = privateKeyID
        self.privateKeyPEM = privateKeyPEM
    }

    /// Makes a service account with a new RSA key of 2048 bits.
    ///
    /// - Throws: swift-crypto's error if the key cannot be made.
    public static func generate(projectID: String = "push-sandbox") throws -> GoogleStandIn {
        let digits = Array("0123456789abcdef")
        return GoogleStandIn(
            projectID: projectID, clientEmail: "sender@\(projectID).iam.gserviceaccount.com",
            privateKeyID: String((0..<40).map { _ in digits[Int.random(in: 0..<16)] }),
            privateKeyPEM: try _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8PEMRepresentation)
    }

    /// The text of the service account's file, as Google's console gives it out, with this server's token endpoint.
    ///
    /// - Parameter origin: ``APNsSandbox/origin``, which is known once the sandbox listens.
    /// - Returns: JSON of several lines.
    public func serviceAccountJSON(origin: String) -> String {
        let members = [
            ("type", "service_account"), ("project_id", projectID), ("private_key_id", privateKeyID),
            ("private_key", privateKeyPEM + "\n"), ("client_email", clientEmail),
            ("client_id", "100000000000000000000"), ("token_uri", origin + CarrierRoutes.tokenPath),
            ("universe_domain", "googleapis.com"),
        ]
        let lines = members.map { "  \(JSONText.quoted($0.0)): \(JSONText.quoted($0.1))" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    /// The account's address; the key is never printed.
    public var description: String { "service account \(clientEmail)" }
}
