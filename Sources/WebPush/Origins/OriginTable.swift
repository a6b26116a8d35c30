/// The origins that are sent to: a sender and a gate for each, and never more than so many at once.
///
/// Pure: whoever asks says what time it is, in milliseconds of a clock that never goes back. A sender that is taken out
/// counts until it has stopped.
struct OriginTable<Sender: Sendable>: Sendable {
    /// After how long without a push an origin is forgotten, in milliseconds.
    static var idleLimit: UInt64 { 600_000 }

    /// What becomes of a push.
    enum Place {
        /// Its origin's sender takes it; call ``ended(_:at:change:)`` afterwards.
        case send(Sender, isProbe: Bool)
        /// The origin is held back for so many milliseconds.
        case held(UInt64)
        /// There is no room for another origin now; the sender, if any, is to be stopped.
        case full(idle: Sender?)
        /// No push is taken any more.
        case closed
    }

    private struct Entry {
        let sender: Sender
        var gate = OriginGate()
        var inFlight = 0
        var lastUse: UInt64
    }

    private let maximumOrigins: Int
    private var entries: [String: Entry] = [:]
    private var stopping = 0
    private var isClosed = false

    init(maximumOrigins: Int) { self.maximumOrigins = maximumOrigins }

    /// Origins that have a sender, or whose sender has not stopped yet.
    var count: Int { entries.count + stopping }

    /// The origins that are held back, in their order.
    var heldBack: [String] { entries.filter { $0.value.gate.isClosed }.keys.sorted() }

    /// Takes a place for one push; `make` makes the origin's sender if it has none.
    mutating func take(_ origin: String, at now: UInt64, make: () -> Sender) -> Place {
        guard !isClosed else { return .closed }
        guard entries[origin] != nil || count < maximumOrigins else { return .full(idle: takeLeastUsed()) }
        var entry = entries[origin] ?? Entry(sender: make(), lastUse: now)
        defer { entries[origin] = entry }
        entry.lastUse = now
        let isProbe: Bool
        switch entry.gate.ask(at: now) {
        case .wait(let pause): return .held(pause)
        case .open: isProbe = false
        case .probe: isProbe = true
        }
        entry.inFlight += 1
        return .send(entry.sender, isProbe: isProbe)
    }

    /// A push that had a place ended; `change` tells the gate what that says about the credentials.
    mutating func ended<Result>(
        _ origin: String, at now: UInt64, change: (inout OriginGate) -> Result
    ) -> Result? {
        guard var entry = entries[origin] else { return nil }
        entry.inFlight -= 1
        entry.lastUse = now
        let result = change(&entry.gate)
        entries[origin] = entry
        return result
    }

    /// Takes out those that were not used for long; each is to be stopped.
    mutating func takeIdle(at now: UInt64) -> [Sender] {
        let idle = entries.filter {
            $0.value.inFlight == 0 && now - min(now, $0.value.lastUse) >= OriginTable.idleLimit
        }
        return idle.map { takeOut($0.key, $0.value) }
    }

    /// A sender that was taken out has stopped.
    mutating func stopped() { stopping -= 1 }

    /// Takes nothing more, and gives all senders away.
    mutating func close() -> [Sender] {
        isClosed = true
        return entries.map { takeOut($0.key, $0.value) }
    }

    /// The one with nothing on its way that was used longest ago; rather not one that is held back.
    private mutating func takeLeastUsed() -> Sender? {
        func rank(_ entry: Entry) -> (Int, UInt64) { (entry.gate.isClosed ? 1 : 0, entry.lastUse) }
        return entries.filter { $0.value.inFlight == 0 }
            .min { rank($0.value) < rank($1.value) }
            .map { takeOut($0.key, $0.value) }
    }

    private mutating func takeOut(_ origin: String, _ entry: Entry) -> Sender {
        entries[origin] = nil
        stopping += 1
        return entry.sender
    }
}
