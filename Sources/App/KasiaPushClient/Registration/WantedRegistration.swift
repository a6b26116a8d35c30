/// What the app wants the service to have of this installation; `RegistrationManager` makes it so.
public enum WantedRegistration: Hashable, Sendable, Codable {
    /// No registration at all.
    case signedOut
    /// This one, and none under another token.
    case signedIn(DeviceRegistration)

    var registration: DeviceRegistration? {
        switch self {
        case .signedOut: nil
        case .signedIn(let registration): registration
        }
    }

    /// The same, with its lists in the form in which two that mean the same are equal.
    var canonical: WantedRegistration {
        switch self {
        case .signedOut: .signedOut
        case .signedIn(let registration): .signedIn(registration.canonical)
        }
    }
}
