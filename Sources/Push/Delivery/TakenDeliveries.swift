import DequeModule
import Store

/// Deliveries that were taken from the schedule and are not settled: a value that takes what happened and says what to
/// do next.
///
/// Each device has one of them at most, in one phase: so at most one is on its way to it or being written, and a second
/// look at the schedule sends nothing again. Parked ones stand beside. What is given back waits in the schedule again,
/// as it stands there: the caller tells the `ScheduleCursor`.
struct TakenDeliveries {
    /// A delivery goes down this list.
    ///
    /// It is given back to the schedule where the sender did not try, and leaves for good when its settlement is
    /// written.
    enum Phase: Equatable {
        /// Its rows are being read.
        case taken
        /// Too many others are on their way to the host that is not the operator's own; next: given back.
        case heldBack
        /// The sender has it, for the operator's own host or the other.
        case sending(isElsewhere: Bool)
        /// What follows is decided, and waits to be written.
        case answered
        /// It is being written; next: settled, parked, or answered again where the store took nothing.
        case writing
        /// A damaged row keeps it from being written; next: settled.
        case parked
    }

    /// A quarter of the capacity is the most that goes to the host that is not the operator's own: anybody can name it
    /// for a device, and while it is silent what goes there stays for long.
    static let elsewhereShare = 4

    private struct Entry {
        var key: ScheduleKey
        var phase: Phase
        /// What came for the device meanwhile, as it was removed and came back; of several, the last.
        var next: ScheduleKey?
    }

    private var entries: [DeviceID: Entry] = [:]
    /// In the order in which they came; one whose entry is gone was replaced.
    private var heldBack: Deque<ScheduleKey> = []
    private var answered: [FinishedAttempt] = []
    private var writingCount = 0
    private var lanes: LaneCapacity
    private let elsewhereCapacity: Int
    /// Those that the sender has.
    private(set) var sendingCount = 0
    /// Those of them that go to the host that is not the operator's own.
    private(set) var elsewhereCount = 0
    private(set) var parked = ParkedAttempts()

    init(capacity: Int) {
        lanes = LaneCapacity(capacity: capacity)
        elsewhereCapacity = max(1, capacity / TakenDeliveries.elsewhereShare)
    }

    // MARK: What there is

    /// Answered deliveries whose settlement is not written, those that are being written among them.
    var unwrittenCount: Int { answered.count + writingCount }

    /// Whether there is something to write.
    var hasAnswered: Bool { !answered.isEmpty }

    var isEmpty: Bool { entries.isEmpty && parked.attempts.isEmpty }

    /// How many more may be sent, of `allowed` in all; what is parked takes up no room.
    func room(of allowed: Int) -> Int { max(0, allowed - sendingCount - unwrittenCount) }

    /// The lanes that may send more.
    var lanesWithRoom: [ScheduleKey.Lane] { lanes.withRoom }

    /// What may be taken of the schedule while so much is free.
    mutating func request(room: Int) -> DueRequest { lanes.request(room: room) }

    func phase(of key: ScheduleKey) -> Phase? {
        if let entry = entries[key.device], entry.key == key { return entry.phase }
        return parked.contains(key) ? .parked : nil
    }

    // MARK: What happens

    /// An entry of the schedule was read; whether to go on with it.
    ///
    /// If not, it is here already, or has to wait for the device's present one.
    mutating func take(_ key: ScheduleKey) -> Bool {
        guard !parked.contains(key) else { return false }
        guard let entry = entries[key.device], entry.phase != .heldBack || entry.key == key else {
            entries[key.device] = Entry(key: key, phase: .taken)
            return true
        }
        if entry.key != key { entries[key.device]?.next = key }
        return false
    }

    /// The delivery is to be sent; whether it may be now, or is held back until others have their answers.
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

    /// What follows from the delivery's answer, or from its rows alone, is decided.
    mutating func answer(_ attempt: FinishedAttempt) {
        let key = attempt.settlement.key
        guard let phase = phase(of: key) else { preconditionFailure("an answer to a delivery that was not taken") }
        endSending(key, phase)
        entries[key.device]?.phase = .answered
        answered.append(attempt)
    }

    /// The delivery was not sent, or has gone: it leaves; returns what to give back, itself among it if `isDue`.
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

    /// As many of the held back ones as there is room for at the other host, to be given back, the first first.
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

    /// All that is answered, to be written now.
    mutating func beginWriting() -> [FinishedAttempt] {
        defer { answered = [] }
        for attempt in answered { entries[attempt.settlement.key.device]?.phase = .writing }
        writingCount += answered.count
        return answered
    }

    /// A settlement is written, of one that was being written or parked; returns what to give back.
    mutating func settle(_ key: ScheduleKey) -> ScheduleKey? {
        guard !parked.contains(key) else {
            parked.remove(key)
            return nil
        }
        return endWriting(key)
    }

    /// A damaged row keeps one from being written; whether there was room to park it, and what to give back.
    mutating func park(_ attempt: FinishedAttempt, after error: StoreError) -> (isParked: Bool, next: ScheduleKey?) {
        let key = attempt.settlement.key
        let wasParked = parked.contains(key)
        guard parked.park(attempt, after: error) else { return (false, nil) }
        return (true, wasParked ? nil : endWriting(key))
    }

    /// These were not written: they are once more to be, before what was answered meanwhile.
    mutating func keep(_ attempts: [FinishedAttempt]) {
        for attempt in attempts { entries[attempt.settlement.key.device]?.phase = .answered }
        writingCount -= attempts.count
        answered.insert(contentsOf: attempts, at: 0)
    }

    /// Whether it is time to try the parked ones again.
    mutating func beginRetry(now: UInt64) -> Bool { parked.beginRetry(now: now) }

    private mutating func endWriting(_ key: ScheduleKey) -> ScheduleKey? {
        precondition(phase(of: key) == .writing, "a delivery is settled that was not being written")
        writingCount -= 1
        return entries.removeValue(forKey: key.device)?.next
    }
}
