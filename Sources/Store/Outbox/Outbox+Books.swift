extension Outbox {
    /// What became of every event and every delivery since the store was made (architecture, "What always holds").
    public struct Books: Equatable, Sendable {
        /// All that ever were: each is in exactly one of the six below.
        public var eventsCreated: UInt64 = 0
        /// Not yet turned into deliveries for all their devices.
        public var eventsQueued: UInt64 = 0
        /// Turned into deliveries for all their devices.
        public var eventsFannedOut: UInt64 = 0
        /// Taken back by a reorganisation before anybody was told.
        public var eventsWithdrawn: UInt64 = 0
        /// Waiting for the sender, before they are queued.
        public var eventsUnresolved: UInt64 = 0
        /// For nobody, because their sender stayed unknown or was not who it claimed to be.
        public var eventsSuppressed: UInt64 = 0
        /// Given up with a part of their watchers not looked at, because their time was over.
        public var eventsExpired: UInt64 = 0

        /// Pairs of an event and a device that its rule names, whether the device is told or not.
        public var deliveriesCreated: UInt64 = 0
        /// Waiting or in flight.
        public var deliveriesQueued: UInt64 = 0
        /// Taken by their carriers.
        public var deliveriesDelivered: UInt64 = 0
        /// Given up because of the carrier's answer, or our own mistake.
        public var deliveriesDead: UInt64 = 0
        /// Given up because their time was over.
        public var deliveriesExpired: UInt64 = 0
        /// By the rules when the event was fanned out, or because the device or the operation had gone.
        public var deliveriesSuppressed: UInt64 = 0

        /// Parts of `deliveriesDead`, by reason; what was counted before a store knew reasons is in none.
        public var deadByReason: [String: UInt64] = [:]
        /// Parts of `deliveriesSuppressed`, likewise.
        public var suppressedByReason: [String: UInt64] = [:]

        /// How many dead letters are kept: at most as many as are dead or expired.
        public var deadLetters: UInt64 = 0

        /// Whether everything is in exactly one state.
        public var balance: Bool {
            let deliveries = [
                deliveriesQueued, deliveriesDelivered, deliveriesDead, deliveriesExpired, deliveriesSuppressed,
            ]
            let events = [
                eventsQueued, eventsFannedOut, eventsWithdrawn, eventsUnresolved, eventsSuppressed, eventsExpired,
            ]
            // Sums that wrap cannot balance by accident: counters never come near 64 bits.
            return eventsCreated == events.reduce(0, &+)
                && deliveriesCreated == deliveries.reduce(0, &+)
                && deadLetters <= deliveriesDead &+ deliveriesExpired
                && deadByReason.values.reduce(0, &+) <= deliveriesDead
                && suppressedByReason.values.reduce(0, &+) <= deliveriesSuppressed
        }
    }

    /// All from the same moment.
    public func books() async throws(StoreError) -> Books {
        try await read { () throws(StoreError) -> Books in try database.snapshot().books() }
    }
}

extension StoreReading {
    func books() throws(StoreError) -> Outbox.Books {
        Outbox.Books(
            eventsCreated: try value(of: .eventsCreated), eventsQueued: try value(of: .events),
            eventsFannedOut: try value(of: .eventsFannedOut), eventsWithdrawn: try value(of: .eventsWithdrawn),
            eventsUnresolved: try value(of: .eventsUnresolved), eventsSuppressed: try value(of: .eventsSuppressed),
            eventsExpired: try value(of: .eventsExpired),
            deliveriesCreated: try value(of: .deliveriesCreated), deliveriesQueued: try value(of: .deliveries),
            deliveriesDelivered: try value(of: .deliveriesDelivered), deliveriesDead: try value(of: .deliveriesDead),
            deliveriesExpired: try value(of: .deliveriesExpired),
            deliveriesSuppressed: try value(of: .deliveriesSuppressed),
            deadByReason: try reasons(of: .deliveriesDead),
            suppressedByReason: try reasons(of: .deliveriesSuppressed), deadLetters: try value(of: .deadLetters))
    }
}

extension WriteTransaction {
    /// One event's step: so many devices are to be told, so many are not.
    func countDeliveries(_ step: FanOutStep) throws(StoreError) {
        let suppressed = step.suppressed.values.reduce(0, +)
        try adjust(.deliveriesCreated, by: step.notified + suppressed)
        try adjust(.deliveriesSuppressed, by: suppressed)
        for (reason, count) in step.suppressed {
            try adjust(.deliveriesSuppressed, reason: reason.rawValue, by: count)
        }
        try adjust(.deliveries, by: step.notified)
        if step.dropped > 0 {
            try countEnded(step.dropped, as: .suppressed, reason: SuppressionReason.queueFull.rawValue)
        }
    }

    /// Moves deliveries from the queue to the state they ended in.
    func countEnded(_ count: Int, as ending: DeliveryLogEntry.State, reason: String) throws(StoreError) {
        let counter: Counter
        switch ending {
        case .queued: return
        case .delivered: counter = .deliveriesDelivered
        case .dead: counter = .deliveriesDead
        case .expired: counter = .deliveriesExpired
        case .suppressed: counter = .deliveriesSuppressed
        }
        try adjust(.deliveries, by: -count)
        try adjust(counter, by: count)
        if ending == .dead || ending == .suppressed { try adjust(counter, reason: reason, by: count) }
    }
}
