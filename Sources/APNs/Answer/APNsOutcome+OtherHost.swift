extension APNsOutcome {
    /// Whether the other host may be asked: only this answer says that the token may be good there.
    var suggestsOtherHost: Bool { self == .tokenInvalid(.badDeviceToken) }

    /// The outcome of this answer if it came from the host that is not the operator's own.
    ///
    /// Whoever registers a device names its host. So what that host has against our credentials or our provider token
    /// concerns its devices only, and must not stop the sending to the operator's own.
    var fromForeignHost: APNsOutcome {
        switch self {
        case .configurationRefused(let reason): .otherHostRefused(reason)
        case .providerTokenExpired: .otherHostRefused(.expiredProviderToken)
        case .providerTokenThrottled: .otherHostRefused(.tooManyProviderTokenUpdates)
        case .unknown(let status, _, _) where Self.meaning(ofUnknownStatus: status) == .configurationRefused:
            .otherHostRefused(nil)
        default: self
        }
    }

    /// What became of a notification whose token `first` called bad, after the other host has been asked, too.
    ///
    /// Only a refusal by both is held against the device. A key may be good at one host alone: then the other's refusal
    /// of it says nothing, and the first answer stands.
    init(_ first: APNsOutcome, thenFrom host: APNsHost, _ second: APNsOutcome) {
        switch second {
        case .delivered(let id): self = .deliveredByOtherHost(apnsID: id, host: host)
        // That the provider token does not pass for now says nothing of the device: it is tried again.
        case .otherHostRefused(.expiredProviderToken), .otherHostRefused(.tooManyProviderTokenUpdates): self = second
        case .tokenInvalid, .tokenGone, .otherHostRefused: self = first
        default: self = second
        }
    }
}
