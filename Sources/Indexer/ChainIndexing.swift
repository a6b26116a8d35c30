package import Kaspa

/// What the indexer has to know besides the node and the store.
package struct ChainIndexing: Sendable {
    /// Where a fresh store starts.
    package enum Start: String, Sendable {
        /// The lowest block that the node can still tell about: history becomes readable.
        case pruningPoint = "pruning-point"
        /// Only what comes next.
        case sink
    }

    package var network: Network
    package var start: Start
    /// Whether accepted operations become push events; false while APNs is not configured.
    package var enqueuesEvents: Bool
    /// Older transactions are not pushed (push.max_age), milliseconds.
    package var maximumAge: UInt64
    /// Whether events are taken back when their accepting block is removed (push.confirmations > 0).
    package var withdrawsUnsent: Bool
    /// How long an event waits for a sender that the answer did not name, milliseconds.
    ///
    /// Longer if nobody could be asked and nobody is told without (`Store.fewestSenderQuestions`), shorter if the node
    /// says that it does not know and somebody is (`Store.enoughRefusals`).
    package var senderPatience: UInt64 = 60_000
    /// How long a sender that no event waits for is asked for, milliseconds.
    package var senderPersistence: UInt64 = 3_600_000
    /// Whether payments that a reorganisation takes out are corrected (push.retractions).
    package var retractsPayments: Bool
    /// The channels whose broadcasts are pushed (push.broadcast_channels), as `ChannelName` has them.
    package var broadcastChannels: Set<String> = []
    /// The chain blocks that an event waits for (push.confirmations).
    package var confirmations: UInt64 = 0
    /// Within so many DAA scores of the node's, about a minute, the tip is near.
    ///
    /// Then each answer is applied at once, and blocks are looked at.
    package var nearTip: UInt64 = 600
    /// What is written at once while the tip is far.
    var batch = ChainBatch.Limits()
    /// More events than this, that the dispatcher could take, stop the intake until it has: some 3 MB on disk.
    package var maximumWaitingEvents: UInt64 = 10_000

    package init(
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
