/// Why a text is no VAPID key: the operator's mistake.
public enum VAPIDKeyError: Error, Equatable, CustomStringConvertible {
    /// It has no lines that frame a private key.
    case notPEM
    /// It is a key of another kind.
    case otherKey
    /// What is between the lines is no key.
    case damaged

    /// The operator's sentence, without a full stop; nothing of the key is in it.
    public var description: String {
        switch self {
        case .notPEM: "the VAPID key is not a private key in PEM form"
        case .otherKey: "the VAPID key is not of the curve P-256"
        case .damaged: "the VAPID key's PEM does not hold a P-256 private key, or is damaged"
        }
    }
}
