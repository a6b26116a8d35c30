/// Why a text is no key that signs pushes: the operator's mistake.
public enum SigningKeyError: Error, Equatable, CustomStringConvertible {
    /// It has no lines that frame a private key.
    case notPEM
    /// It is a key of another kind.
    case otherKey
    /// What is between the lines is no key.
    case damaged

    /// The operator's sentence, without a full stop; nothing of the key is in it.
    public var description: String {
        switch self {
        case .notPEM: "the signing key is not a private key in PEM form (PKCS#8)"
        case .otherKey: "the signing key is not an Ed25519 key"
        case .damaged: "the signing key's PEM does not hold an Ed25519 private key, or is damaged"
        }
    }
}
