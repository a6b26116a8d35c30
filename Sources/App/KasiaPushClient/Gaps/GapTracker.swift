import KasiaPushCore

/// Finds the pushes that never arrived.
///
/// The service numbers each device's pushes from 1. The app calls `received` with the number of each push that it has
/// kept, and `catchUp` at its start, when it comes to the foreground, and when `received` says that there is a gap.
/// Repeats do no harm: an app knows a push by its transaction.
///
/// It belongs to the app's process; what an extension received is among what the app fetches at its start.
public actor GapTracker {
    /// Stores a state, durable on return.
    public typealias Save = @Sendable (GapState) async throws -> Void

    /// Pages of one catch-up: twice what the service keeps.
    static let maximumPages = 20

    private let manager: RegistrationManager
    private let writer: StateWriter<GapState>
    private var revision: UInt64 = 0
    private var state: GapState
    private var isCatchingUp = false

    /// Goes on where the stored state ended; nil at the first start.
    public init(manager: RegistrationManager, state: GapState?, save: @escaping Save) {
        self.manager = manager
        writer = StateWriter(save)
        self.state = state ?? GapState()
        self.state.start()
    }

    /// Whether `catchUp` is due: since the start, or because of a gap.
    public var mustCatchUp: Bool { state.mustAsk }

    /// The lists that the app still has to read; nil if there are none.
    public var listsToRead: ListOrder? { state.lists }

    /// Up to which number the app has everything.
    var last: UInt64 { state.last }

    /// Takes the number of a push that the app has kept; whether `catchUp` is due.
    ///
    /// Throws what `save` throws.
    public func received(_ sequence: UInt64) async throws -> Bool {
        if let numbering = await manager.numbering { state.use(numbering) }
        state.receive(sequence)
        try await store()
        return state.mustAsk
    }

    /// The app has read the lists on this order.
    ///
    /// Throws what `save` throws.
    public func listsWereRead(_ order: ListOrder) async throws {
        state.listsWereRead(order)
        try await store()
    }

    /// Fetches what was missed, page by page.
    ///
    /// Call it at the start, in the foreground and after a gap. If it throws, what was kept so far is not fetched again.
    /// When the service does not know the device any more, the manager registers it again.
    ///
    /// - Parameters:
    ///   - isSigned: Whether the wallet signs each call. Only then a bound registration's pushes about
    ///     `watchOnlyAddresses` tell their amount and address. Where the service demands it, it signs in any case.
    ///   - keep: Stores the pushes of a page, durable on return.
    /// - Returns: What came of it; nil while another call is at it, whose `keep` gets everything.
    /// - Throws: `IndexerError`, `RegistrationProblem` for a wallet key that is missing, and what the keys, `keep` and
    ///   `save` throw.
    public func catchUp(
        isSigned: Bool = false, _ keep: ([MissedPush]) async throws -> Void
    ) async throws -> CatchUp? {
        guard !isCatchingUp else { return nil }
        isCatchingUp = true
        defer { isCatchingUp = false }
        state.start()
        guard let device = await manager.wantedRegistration else {
            return CatchUp(isComplete: true, lists: state.lists)
        }
        if let numbering = await manager.numbering { state.use(numbering) }
        // Not registered yet under this token: its numbers are not those that are known.
        guard state.numbering?.tokenHash == device.token.hash else {
            return CatchUp(isComplete: false, lists: state.lists)
        }
        return try await fetch(device, isSigned: isSigned, keep)
    }

    private func store() async throws {
        revision += 1
        try await writer.write(state, revision: revision)
    }

    private func fetch(
        _ device: DeviceRegistration, isSigned: Bool, _ keep: ([MissedPush]) async throws -> Void
    ) async throws -> CatchUp {
        var count = 0
        let numbering = state.numbering
        for _ in 0..<GapTracker.maximumPages {
            let before = state.ahead
            let page = try await manager.missed(of: device, after: state.last, isSigned: isSigned)
            guard state.numbering == numbering else { break }
            guard let page else {
                state.registrationIsGone()
                try await store()
                try await manager.registrationIsGone(device.token)
                break
            }
            let pushes = page.items.filter { $0.sequence > state.last && page.latestSequence >= state.last }
            if !pushes.isEmpty { try await keep(pushes) }
            count += pushes.count
            // Meanwhile the device may have been registered anew.
            guard state.numbering == numbering else { break }
            let isComplete = state.take(page, before: before)
            try await store()
            if isComplete, !state.mustAsk { return CatchUp(count: count, isComplete: true, lists: state.lists) }
        }
        return CatchUp(count: count, isComplete: false, lists: state.lists)
    }
}

/// What came of a search for missed pushes.
public struct CatchUp: Hashable, Sendable {
    /// How many pushes were fetched and kept.
    public var count = 0
    /// Whether nothing is missing any more but what is in the lists; false while the device is not registered.
    public var isComplete: Bool
    /// The lists that the app has to read, since the service has not kept everything; nil if it does not.
    public var lists: ListOrder?
}
