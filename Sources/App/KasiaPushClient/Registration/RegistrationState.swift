/// What `RegistrationManager` knows, for the app to store: it is saved before each step that the service may see.
///
/// It names tokens and addresses, so it belongs into the app's protected storage, and into no backup: restored on another
/// phone it would end the registration of this one. It belongs to one service. A later version of the library reads what
/// an earlier one wrote. Without it (nil) the manager begins anew, and sign-outs that were not done are forgotten. All
/// times are in milliseconds since 1970.
public struct RegistrationState: Hashable, Sendable, Codable {
    /// The tokens that are kept: the wanted one and those that still have to be unregistered.
    ///
    /// Of more than these the one that was tried last is forgotten. The service learns from Apple, Google or the push
    /// service that such a token is gone.
    public static let maximumTokens = 32

    /// What the app has wanted last; nil before it has said so.
    var wanted: WantedRegistration?
    var wantedAt: Int64 = 0
    /// Every token that the service may have registered for this installation, the next to be looked at first.
    var tokens: [KnownToken] = []
    /// The change that is on its way; in a state that was stored, one whose answer never came.
    var sending: SentChange?
    var pause = RetryPause()
    /// How often a registration has begun whose pushes are numbered from 1 again.
    var numbering: UInt64 = 0

    init() {}
}
