import KasiaPushCore

/// Whether the user lets the app notify, as the app has asked the system.
public enum NotificationPermission: String, Hashable, Sendable, CaseIterable {
    /// Alerts are shown.
    case allowed
    /// Notifications come quietly: without an alert or a sound.
    case quiet
    /// The user has refused.
    case denied
    /// The user was not asked yet.
    case notAsked
}

/// What a diagnosis is made of.
struct DiagnosisFacts: Sendable {
    /// Milliseconds since 1970.
    var now: Int64
    var permission: NotificationPermission
    /// When the last push came, milliseconds since 1970; nil if none has.
    var lastPush: Int64?
    var progress: RegistrationProgress
    /// The registration that is wanted; nil when signed out.
    var wanted: DeviceRegistration?
    var readiness: Result<Readiness, IndexerError>
    /// nil if there was nothing to ask about, or the question could not be signed.
    var status: Result<RegistrationStatus, IndexerError>?
    /// How many pushes were sent that the app does not have; nil if that could not be asked.
    var missing: UInt64?
}
