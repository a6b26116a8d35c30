/// Why a change of the registration has not been made, to be shown to the user or a developer.
public struct RegistrationProblem: Error, Hashable, Sendable, Codable {
    /// What kind of problem it is.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The service refuses the change, and a repeat does not help.
        case refused
        /// The token belongs to another wallet, and neither that wallet nor the device's key could free it.
        case boundElsewhere
        /// The wallet's key is not on this device.
        case walletKeyMissing
        /// The keys do not fit the registration.
        case cannotSign
        /// A key could not be used for now, such as before the device is unlocked.
        case keyUnavailable
        /// The service could not be reached, or asks to wait.
        case unavailable
        /// The app could not store the state, and nothing is sent that is not stored.
        case notStored
    }

    /// What kind of problem it is.
    public var kind: Kind
    /// One sentence: the service's own, if it gave one.
    public var message: String
    /// The HTTP status of a refusal.
    public var status: Int?
    /// The service's word for a refusal.
    public var code: IndexerErrorCode?

    init(_ kind: Kind, _ message: String, status: Int? = nil, code: IndexerErrorCode? = nil) {
        self.kind = kind
        self.message = message
        self.status = status
        self.code = code
    }

    init(_ kind: Kind, _ error: IndexerError) {
        self.init(kind, error.message, status: error.status, code: error.code)
    }
}
