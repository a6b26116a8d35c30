import Carriers
import Store
import Troubles

/// What the dispatcher knows of one carrier beside its deliveries.
struct CarrierLine {
    let carrier: any Carrier
    /// The most that may be on its way at once.
    let capacity: Int
    var pause = SendingPause()
    /// What was logged about the pause.
    var pauseTrouble = Trouble()
    var tokenGuard = InvalidTokenGuard()
    /// Whether the guard forbids removals, so that this is logged once.
    private var isGuardingTokens = false

    var isConfigured: Bool { !(carrier is UnconfiguredCarrier) }

    init(_ carrier: any Carrier) {
        self.carrier = carrier
        capacity = carrier.capacity
    }

    /// Takes what an answer says of a token; whether the guard forbids removals from now on.
    mutating func guardsTokens(after finding: Disposition.DeviceFinding) -> Bool {
        tokenGuard.record(finding.guardAnswer)
        guard finding == .invalidToken else { return false }
        let before = isGuardingTokens
        isGuardingTokens = !tokenGuard.mayRemove
        return isGuardingTokens && !before
    }
}

/// Stands in for a carrier that is not configured, or not any more: what waits for it expires in its time.
struct UnconfiguredCarrier: Carrier {
    /// How long a delivery waits before it is looked at again.
    static let patience = Duration.seconds(900)

    let name: CarrierName
    let capacity = 16

    func run() async throws {}

    func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void) {
        ended(
            SendOutcome(
                .notYet(after: UnconfiguredCarrier.patience), label: "not_sent", reason: "NotConfigured",
                isAnswer: false))
    }
}
