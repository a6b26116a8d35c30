public import Kaspa
import Policy

/// The settings of the indexer.
public struct ChainIndexing: Sendable {
    /// Where a fresh store starts.
    public enum Start: String, Sendable {
        /// At the lowest block that the node keeps, so that recent history becomes readable.
        case pruningPoint = "pruning-point"
        /// At the tip: only what comes next is read.
        case sink
    }

    /// The network that the node must be on.
    public var network: Network
    /// Where a fresh store starts.
    public var start: Start
    /// Whether accepted operations become push events; false while APNs is not configured.
    public var enqueuesEvents: Bool
    /// The age from which transactions are not pushed (`push.max_age`), milliseconds.
    public var maximumAge: UInt64
    /// Whether events are withdrawn when their accepting block is removed (`push.confirmations` > 0).
    public var withdrawsUnsent: Bool
    /// How long an event waits for a sender that the answer did not name, milliseconds.
    ///
    /// It waits longer if no node could be asked and nobody can be notified without the sender
    /// (`PushPolicy.fewestSenderQuestions`). It waits less if the node does not know the sender and somebody can be
    /// notified without (`History.enoughRefusals`).
    public var senderPatience: UInt64 = 60_000
    /// How long the node is asked for a sender that no event waits for, milliseconds.
    public var senderPersistence: UInt64 = 3_600_000
    /// Whether payments that a reorganisation removes are corrected (`push.retractions`).
    public var retractsPayments: Bool
    /// The channels whose broadcasts are pushed (`push.broadcast_channels`), in the form of `ChannelName`.
    public var broadcastChannels: Set<String> = []
    /// The chain blocks that an event waits for (`push.confirmations`).
    public var confirmations: UInt64 = 0
    /// The DAA scores below the node's within which the tip is near: about a minute of blocks.
    ///
    /// Near the tip, each answer is applied at once, and blocks are read for pending operations.
    public var nearTip: UInt64 = 600
    /// The size of a batch far from the tip.
    var batch = ChainBatch.Limits()
    /// The most events that may wait for the dispatcher, some 3 MB on disk.
    ///
    /// Beyond it, the chain is read later.
    public var maximumWaitingEvents: UInt64 = 10_000

    /// The settings that the push policy needs.
    var intake: EventIntake {
        EventIntake(isOn: enqueuesEvents, maximumAge: maximumAge, broadcastChannels: broadcastChannels)
    }

    /// Takes the settings without a default.
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
