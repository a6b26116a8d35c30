import DequeModule
import Store

/// The deliveries that were taken from the schedule and are not settled: a pure value that takes events and returns
/// what to do.
///
/// Each device has at most one of them, in one phase, besides parked ones. So at most one is in flight or being written
/// for a device, and reading the schedule again sends nothing twice. A delivery that is given back waits in the
/// schedule again; the caller must tell the `ScheduleCursor`.
struct TakenDeliveries {
    /// The phases of a delivery, in order.
    ///
    /// It is given back to the schedule if the sender did not try, and removed when its settlement is written.
    enum Phase: Equatable {
        /// Its rows are being read.
        case taken
        /// Too many others are in flight to the host that is not the operator's own. Next: given back.
        case heldBack
        /// The sender has it, for the operator's own host or the other.
        case sending(isElsewhere: Bool)
        /// Its settlement is decided and waits to be written.
        case answered
        /// It is being written. Next: settled, parked, or answered again if the store refuses every write.
        case writing
        /// It cannot be written because of a corrupt row. Next: settled.
        case parked
    }

    /// At most a quarter of the capacity is for the host that is not the operator's own.
    ///
    /// Anybody can name that host for a device, and while it does not answer, its notifications stay in flight for
    /// long.
    static let elsewhereShare = 4

    private struct Entry {
        var key: ScheduleKey
        var phase: Phase
        /// The device's last new entry, if it was removed and registered again meanwhile.
        var next: ScheduleKey?
    }

    private var entries: [DeviceID: Entry] = [:]
    /// Held-back deliveries, in the order in which they came.
    ///
    /// One without an entry was replaced.
    private var heldBack: Deque<ScheduleKey> = []
    private var answered: [FinishedAttempt] = []
    private var writingCount = 0
    private var lanes: LaneCapacity
    private let elsewhereCapacity: Int
    /// The number of deliveries that the sender has.
    private(set) var sendingCount = 0
    /// The number of those to the host that is not the operator's own.
    private(set) var elsewhereCount = 0
    private(set) var parked = ParkedAttempts()

    init(capacity: Int) {
        lanes = LaneCapacity(capacity: capacity)
        elsewhereCapacity = max(1, capacity / TakenDeliveries.elsewhereShare)
    }

    // MARK: Counts

    /// The answered deliveries whose settlement is not written yet, including those being written.
    var unwrittenCount: Int { answered.count + writingCount }

    /// Whether a settlement waits to be written.
    var hasAnswered: Bool { !answered.isEmpty }

    var isEmpty: Bool { entries.isEmpty && parked.attempts.isEmpty }

    /// How many more may be sent if `allowed` may be in flight.
    ///
    /// Parked ones take up no room.
    func room(of allowed: Int) -> Int { max(0, allowed - sendingCount - unwrittenCount) }

    /// The lanes that may send more.
    var lanesWithRoom: [ScheduleKey.Lane] { lanes.withRoom }

    /// What to take from the schedule for this much room.
    mutating func request(room: Int) -> DueRequest { lanes.request(room: room) }

    func phase(of key: ScheduleKey) -> Phase? {
        if let entry = entries[key.device], entry.key == key { return entry.phase }
        return parked.contains(key) ? .parked : nil
    }

    // MARK: Events

    /// Takes an entry that was read from the schedule.
    ///
    /// Returns whether to continue with it.
    ///
    /// If not, it was taken before, or must wait for the device's current one.
    mutating func take(_ key: ScheduleKey) -> Bool {
        guard !parked.contains(key) else { return false }
        guard let entry = entries[key.device], entry.phase != .heldBack || entry.key == key else {
            entries[key.device] = Entry(key: key, phase: .taken)
            return true
        }
        if entry.key != key { entries[key.device]?.next = key }
        return false
    }

    /// Begins to send a delivery.
    ///
    /// Returns false if it is held back until others are answered.
    mutating func begin(_ key: ScheduleKey, isElsewhere: Bool) -> Bool {
        precondition(phase(of: key) == .taken, "a delivery is sent that was not taken")
        guard !isElsewhere || elsewhereCount < elsewhereCapacity else {
            entries[key.device]?.phase = .heldBack
            heldBack.append(key)
            return false
        }
        entries[key.device]?.phase = .sending(isElsewhere: isElsewhere)
        sendingCount += 1
        if isElsewhere { elsewhereCount += 1 }
        lanes.began(key.lane)
        return true
    }

    /// Records that a delivery's settlement is decided, with or without an answer.
    mutating func answer(_ attempt: FinishedAttempt) {
        let key = attempt.settlement.key
        guard let phase = phase(of: key) else { preconditionFailure("an answer to a delivery that was not taken") }
        endSending(key, phase)
        entries[key.device]?.phase = .answered
        answered.append(attempt)
    }

    /// Removes a delivery that was not sent.
    ///
    /// Returns what to give back, itself included if `isDue`.
    mutating func leave(_ key: ScheduleKey, isDue: Bool) -> [ScheduleKey] {
        guard let phase = phase(of: key) else { preconditionFailure("a delivery leaves that was not taken") }
        endSending(key, phase)
        let next = entries.removeValue(forKey: key.device)?.next
        return (isDue ? [key] : []) + (next.map { [$0] } ?? [])
    }

    private mutating func endSending(_ key: ScheduleKey, _ phase: Phase) {
        guard case .sending(let isElsewhere) = phase else { return }
        sendingCount -= 1
        if isElsewhere { elsewhereCount -= 1 }
        lanes.ended(key.lane)
    }

    /// Removes as many held-back deliveries as the other host has room for, the oldest first, to give them back.
    mutating func releaseHeldBack() -> [ScheduleKey] {
        var released: [ScheduleKey] = []
        var room = elsewhereCapacity - elsewhereCount
        while room > 0, let key = heldBack.popFirst() {
            guard phase(of: key) == .heldBack else { continue }
            room -= 1
            released += leave(key, isDue: true)
        }
        return released
    }

    // MARK: Writing

    /// Takes all answered deliveries, to be written now.
    mutating func beginWriting() -> [FinishedAttempt] {
        defer { answered = [] }
        for attempt in answered { entries[attempt.settlement.key.device]?.phase = .writing }
        writingCount += answered.count
        return answered
    }

    /// Records that a settlement is written.
    ///
    /// Returns what to give back.
    mutating func settle(_ key: ScheduleKey) -> ScheduleKey? {
        guard !parked.contains(key) else {
            parked.remove(key)
            return nil
        }
        return endWriting(key)
    }

    /// Parks a delivery that cannot be written because of a corrupt row.
    ///
    /// Returns whether there was room, and what to give back.
    mutating func park(_ attempt: FinishedAttempt, after error: StoreError) -> (isParked: Bool, next: ScheduleKey?) {
        let key = attempt.settlement.key
        let wasParked = parked.contains(key)
        guard parked.park(attempt, after: error) else { return (false, nil) }
        return (true, wasParked ? nil : endWriting(key))
    }

    /// Returns attempts that were not written.
    ///
    /// They are written before those answered meanwhile.
    mutating func keep(_ attempts: [FinishedAttempt]) {
        for attempt in attempts { entries[attempt.settlement.key.device]?.phase = .answered }
        writingCount -= attempts.count
        answered.insert(contentsOf: attempts, at: 0)
    }

    /// Whether a try of the parked ones is due.
    mutating func beginRetry(now: UInt64) -> Bool { parked.beginRetry(now: now) }

    private mutating func endWriting(_ key: ScheduleKey) -> ScheduleKey? {
        precondition(phase(of: key) == .writing, "a delivery is settled that was not being written")
        writingCount -= 1
        return entries.removeValue(forKey: key.device)?.next
    }
}
