public import Kaspa
import Policy

/// What the indexer has to know besides the node and the store.
public struct ChainIndexing: Sendable {
    /// Where a fresh store starts.
    public enum Start: String, Sendable {
        /// The lowest block that the node can still tell about: history becomes readable.
        case pruningPoint = "pruning-point"
        /// Only what comes next.
        case sink
    }

    /// The network that the node must be on.
    public var network: Network
    /// Where a fresh store starts.
    public var start: Start
    /// Whether accepted operations become push events; false while APNs is not configured.
    public var enqueuesEvents: Bool
    /// Older transactions are not pushed (push.max_age), milliseconds.
    public var maximumAge: UInt64
    /// Whether events are taken back when their accepting block is removed (push.confirmations > 0).
    public var withdrawsUnsent: Bool
    /// How long an event waits for a sender that the answer did not name, milliseconds.
    ///
    /// Longer if nobody could be asked and nobody is told without (`PushPolicy.fewestSenderQuestions`), shorter if the node
    /// says that it does not know and somebody is (`History.enoughRefusals`).
    public var senderPatience: UInt64 = 60_000
    /// How long a sender that no event waits for is asked for, milliseconds.
    public var senderPersistence: UInt64 = 3_600_000
    /// Whether payments that a reorganisation takes out are corrected (push.retractions).
    public var retractsPayments: Bool
    /// The channels whose broadcasts are pushed (push.broadcast_channels), as `ChannelName` has them.
    public var broadcastChannels: Set<String> = []
    /// The chain blocks that an event waits for (push.confirmations).
    public var confirmations: UInt64 = 0
    /// Within so many DAA scores of the node's, about a minute, the tip is near.
    ///
    /// Then each answer is applied at once, and blocks are looked at.
    public var nearTip: UInt64 = 600
    /// What is written at once while the tip is far.
    var batch = ChainBatch.Limits()
    /// More events than this, that the dispatcher could take, stop the intake until it has: some 3 MB on disk.
    public var maximumWaitingEvents: UInt64 = 10_000

    /// What the push policy asks of these settings.
    var intake: EventIntake {
        EventIntake(isOn: enqueuesEvents, maximumAge: maximumAge, broadcastChannels: broadcastChannels)
    }

    /// Takes what has no default; the rest is as it is in the configuration's own defaults.
    public init(
        network: Network, start: Start = .pruningPoint, enqueuesEvents: Bool, maximumAge: UInt64,
        withdrawsUnsent: Bool, retractsPayments: Bool = false
    ) {
        self.network = network
        self.start = start
        self.enqueuesEvents = enqueuesEvents
        self.maximumAge = maximumAge
        self.withdrawsUnsent = withdrawsUnsent
        self.retractsPayments = retractsPayments
    }
}
