import Carriers
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
    /// It is given back to the schedule if the carrier did not try, and removed when its settlement is written.
    enum Phase: Equatable {
        /// Its rows are being read.
        case taken
        /// Too many others are in flight to the same destination. Next: given back.
        case heldBack
        /// The carrier has it, for one of several destinations if there are some.
        case sending(to: CarrierDestination?)
        /// Its settlement is decided and waits to be written.
        case answered
        /// It is being written. Next: settled, parked, or answered again if the store refuses every write.
        case writing
        /// It cannot be written because of a corrupt row. Next: settled.
        case parked
    }

    private struct Entry {
        var key: ScheduleKey
        var phase: Phase
        /// The device's last new entry, if it was removed and registered again meanwhile.
        var next: ScheduleKey?
    }

    private var entries: [DeviceID: Entry] = [:]
    /// Held-back deliveries by destination, in the order in which they came.
    ///
    /// One without an entry was replaced.
    private var heldBack: [CarrierDestination: Deque<ScheduleKey>] = [:]
    private var answered: [FinishedAttempt] = []
    private var writing: PerCarrier<Int>
    private var answeredCounts: PerCarrier<Int>
    private var lanes: PerCarrier<LaneCapacity>
    private let capacities: PerCarrier<Int>
    private var sending: PerCarrier<Int>
    /// How many are on their way to each destination; none for one without any.
    private var atDestinations: [CarrierDestination: Int] = [:]
    private(set) var parked = ParkedAttempts()

    /// Takes how many of each carrier's may be on their way at once.
    init(capacities: PerCarrier<Int>) {
        self.capacities = capacities
        lanes = PerCarrier { LaneCapacity(capacity: capacities[$0]) }
        writing = PerCarrier { _ in 0 }
        answeredCounts = PerCarrier { _ in 0 }
        sending = PerCarrier { _ in 0 }
    }

    // MARK: Counts

    /// The number of deliveries that the carriers have.
    var sendingCount: Int { CarrierName.allCases.reduce(0) { $0 + sending[$1] } }

    /// How many deliveries a carrier has.
    func sendingCount(of carrier: CarrierName) -> Int { sending[carrier] }

    /// How many are on their way to a destination.
    func sendingCount(to destination: CarrierDestination) -> Int { atDestinations[destination, default: 0] }

    /// The answered deliveries whose settlement is not written yet, including those being written.
    var unwrittenCount: Int { CarrierName.allCases.reduce(0) { $0 + unwrittenCount(of: $1) } }

    private func unwrittenCount(of carrier: CarrierName) -> Int { answeredCounts[carrier] + writing[carrier] }

    /// Whether a settlement waits to be written.
    var hasAnswered: Bool { !answered.isEmpty }

    var isEmpty: Bool { entries.isEmpty && parked.attempts.isEmpty }

    /// How many more of a carrier's may be sent if `allowed` may be in flight.
    ///
    /// Parked ones take up no room.
    func room(of allowed: Int, for carrier: CarrierName) -> Int {
        max(0, allowed - sending[carrier] - unwrittenCount(of: carrier))
    }

    /// The lanes of a carrier that may send more.
    func lanesWithRoom(of carrier: CarrierName) -> [ScheduleKey.Lane] { lanes[carrier].withRoom }

    /// What to take from a carrier's part of the schedule for this much room.
    mutating func request(_ carrier: CarrierName, room: Int) -> DueRequest {
        lanes[carrier].request(room: room, for: carrier)
    }

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

    /// Begins to send a delivery, to one of several destinations if there are some.
    ///
    /// Returns false if it is held back until others are answered.
    mutating func begin(_ key: ScheduleKey, to destination: CarrierDestination? = nil) -> Bool {
        precondition(phase(of: key) == .taken, "a delivery is sent that was not taken")
        if let destination {
            guard room(at: destination, of: key.carrier) > 0 else {
                entries[key.device]?.phase = .heldBack
                heldBack[destination, default: []].append(key)
                return false
            }
            atDestinations[destination, default: 0] += 1
        }
        entries[key.device]?.phase = .sending(to: destination)
        sending[key.carrier] += 1
        lanes[key.carrier].began(key.lane)
        return true
    }

    private func room(at destination: CarrierDestination, of carrier: CarrierName) -> Int {
        max(1, capacities[carrier] / destination.share) - atDestinations[destination, default: 0]
    }

    /// Records that a delivery's settlement is decided, with or without an answer.
    mutating func answer(_ attempt: FinishedAttempt) {
        let key = attempt.settlement.key
        guard let phase = phase(of: key) else { preconditionFailure("an answer to a delivery that was not taken") }
        endSending(key, phase)
        entries[key.device]?.phase = .answered
        answered.append(attempt)
        answeredCounts[key.carrier] += 1
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
        guard case .sending(let destination) = phase else { return }
        sending[key.carrier] -= 1
        lanes[key.carrier].ended(key.lane)
        guard let destination else { return }
        let rest = atDestinations[destination, default: 1] - 1
        atDestinations[destination] = rest > 0 ? rest : nil
    }

    /// Removes as many held-back deliveries as their destinations have room for, the oldest first, to give them back.
    mutating func releaseHeldBack() -> [ScheduleKey] {
        var released: [ScheduleKey] = []
        for (destination, keys) in heldBack {
            guard let carrier = keys.first?.carrier else { continue }
            released += release(room(at: destination, of: carrier), at: destination)
        }
        return released
    }

    private mutating func release(_ count: Int, at destination: CarrierDestination) -> [ScheduleKey] {
        var released: [ScheduleKey] = []
        var left = count
        while left > 0, let key = heldBack[destination]?.popFirst() {
            guard phase(of: key) == .heldBack else { continue }
            left -= 1
            released += leave(key, isDue: true)
        }
        if heldBack[destination]?.isEmpty == true { heldBack[destination] = nil }
        return released
    }

    // MARK: Writing

    /// Takes all answered deliveries, to be written now.
    mutating func beginWriting() -> [FinishedAttempt] {
        defer { answered = [] }
        for attempt in answered {
            let key = attempt.settlement.key
            entries[key.device]?.phase = .writing
            writing[key.carrier] += 1
            answeredCounts[key.carrier] -= 1
        }
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
        for attempt in attempts {
            let key = attempt.settlement.key
            entries[key.device]?.phase = .answered
            writing[key.carrier] -= 1
            answeredCounts[key.carrier] += 1
        }
        answered.insert(contentsOf: attempts, at: 0)
    }

    /// Whether a try of the parked ones is due.
    mutating func beginRetry(now: UInt64) -> Bool { parked.beginRetry(now: now) }

    private mutating func endWriting(_ key: ScheduleKey) -> ScheduleKey? {
        precondition(phase(of: key) == .writing, "a delivery is settled that was not being written")
        writing[key.carrier] -= 1
        return entries.removeValue(forKey: key.device)?.next
    }
}
