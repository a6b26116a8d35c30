package import KaspaNode

/// What a replay node does wrong at present; all off at first.
package struct ReplayFaults: Sendable {
    /// Whether the node says that it is synced.
    package var isSynced = true

    /// The network that the node says it is on, instead of the recording's.
    package var networkID: String?

    /// Whether notifications are kept back.
    package var dropsNotifications = false

    /// How often each notification is sent again.
    package var notificationRepeats = 0

    /// How often requests of a kind are still refused, and with which text.
    package var refusals: [ReplayRequest: Refusal] = [:]

    /// Sees every answer and notification before it is sent, and may change it; false keeps it back.
    package var filter: (@Sendable (inout Protowire_KaspadResponse) -> Bool)?

    /// An error told instead of an answer.
    package struct Refusal: Hashable, Sendable {
        /// The node's error text.
        package var message: String
        /// How many requests it is still told to.
        package var remaining: Int

        /// Refuses `times` requests.
        package init(_ message: String, times: Int) {
            self.message = message
            remaining = times
        }
    }

    /// A node without faults.
    package init() {}

    /// The text with which a request is refused, counted down; nil when it is to be answered.
    mutating func refuse(_ request: ReplayRequest) -> String? {
        guard let refusal = refusals[request], refusal.remaining > 0 else { return nil }
        refusals[request]?.remaining -= 1
        return refusal.message
    }

    /// The message as it is sent, if it is.
    func passed(_ message: Protowire_KaspadResponse) -> Protowire_KaspadResponse? {
        guard let filter else { return message }
        var message = message
        return filter(&message) ? message : nil
    }
}
