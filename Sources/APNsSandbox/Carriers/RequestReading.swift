/// What a carrier makes of a request that has arrived.
struct RequestReading {
    /// The log entry, without its ending.
    var entry: ReceivedNotification
    /// The answer to the request's own fault; nil if it has none.
    var refusal: SandboxAnswer?
    /// Whether its success is a notification: false for a dry run, and for what only asks.
    var delivers: Bool

    init(_ entry: ReceivedNotification) {
        self.entry = entry
        delivers = entry.carrier.carriesNotifications
    }
}
