import Synchronization

/// The service's clock, and the rule which time is used for what.
///
/// | time | it is | it judges |
/// |---|---|---|
/// | `chain` | the node's word: the past median time of the sink, and what has passed since | the age of a transaction, history |
/// | `now` | what has passed: it goes on with the machine's uptime, over restarts by the least that wall clock and chain say, and never jumps | patience, back-off, expiry of what waits, hourly limits, how long a log is kept |
/// | `present` | the wall clock while it is within ten minutes of the chain's time, else the chain's | when a device registered and was seen, challenges, times of signatures, what is said to Apple (the token's `iat`, `apns-expiration`) and what Apple says (410, a Retry-After that is a date) |
/// | `wall` | the machine's wall clock | log lines, names of files; the libraries that check certificates |
///
/// So nothing is dropped, given up or forgotten because the wall clock is wrong. All are milliseconds since 1970.
public struct ServiceClock: Sendable {
    private enum Source: Sendable {
        case kept(Timekeeper)
        case given(@Sendable () -> UInt64)
    }

    private let source: Source
    /// Sleeps for a duration.
    ///
    /// Throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number in 0 ..< 1.
    public var random: @Sendable () -> Double

    private init(_ source: Source) {
        self.source = source
        sleep = { try await Task.sleep(for: $0) }
        random = { Double.random(in: 0..<1) }
    }

    /// The service's clock, which continues from `kept`, the last run's reading in the store.
    public init(_ machine: MachineClock = .system, kept: ClockReading?) {
        self.init(.kept(Timekeeper(machine, kept: kept)))
    }

    /// A clock with one time for everything, for tests and commands.
    public init(given now: @escaping @Sendable () -> UInt64) { self.init(.given(now)) }

    /// The service's time, which never jumps.
    public func now() -> UInt64 { read { $0.service(at: $2) } }

    /// The machine's wall clock.
    public func wall() -> UInt64 {
        switch source {
        case .kept(let keeper): keeper.machine.wall()
        case .given(let now): now()
        }
    }

    /// The most likely current time.
    public func present() -> UInt64 { read { $0.present(wall: $1, uptime: $2) } }

    /// Whether `present` can be sent to others.
    ///
    /// After a start with a wall clock far from the last run's, the node has half a minute to report the chain's time.
    public var isSettled: Bool {
        guard case .kept(let keeper) = source else { return true }
        return keeper.read { $0.isSettled(wall: $1, uptime: $2) }
    }

    /// The chain's time; before the node has reported it, an earlier time.
    ///
    /// In a store that has never heard of a chain, the wall clock's time.
    public func chain() -> UInt64 { read { $0.chain(at: $2) ?? $1 } }

    /// The moment by `now` at which the chain's time was `time`; 0 until the node has reported the chain's time.
    public func moment(ofChainTime time: UInt64) -> UInt64 {
        let lag: UInt64 =
            switch source {
            case .kept(let keeper): keeper.read { $0.lag(behind: time, uptime: $2) }
            case .given(let now): now() - min(now(), time)
            }
        let now = now()
        return now - min(now, lag)
    }

    /// The moment by `present` that is as far away as `time` is by `now`.
    public func present(at time: UInt64) -> UInt64 {
        let (now, present) = (now(), present())
        return time > now ? present + (time - now) : present - min(present, now - time)
    }

    /// The machine's clocks with `present` in place of the wall clock; the machine's own where one time was given.
    public var corrected: MachineClock {
        guard case .kept(let keeper) = source else { return .system }
        return MachineClock(wall: present, uptime: keeper.machine.uptime)
    }

    /// The difference of the wall clock from the chain's time; nil until the node has reported that.
    public func skew() -> ClockSkew? {
        guard case .kept(let keeper) = source else { return nil }
        return keeper.read { $0.skew(wall: $1, uptime: $2) }
    }

    /// Whether it is time to ask the node for the chain's time.
    public var shouldHear: Bool {
        guard case .kept(let keeper) = source else { return false }
        return keeper.read { $0.shouldHear(at: $2) }
    }

    /// Records the chain's time as the node reports it: the past median time of the sink.
    public func hear(chainTime time: UInt64) { change { $0.hear(time, wall: $1, uptime: $2) } }

    /// Adjusts `now` towards a correct wall clock by some minutes a day.
    ///
    /// Call it about once a second.
    public func adjust() { change { $0.adjust(wall: $1, uptime: $2) } }

    /// The reading for the next run; nil in a store that has never had the chain's time.
    public var reading: ClockReading? {
        guard case .kept(let keeper) = source else { return nil }
        return keeper.read { $0.reading(wall: $1, uptime: $2) }
    }

    private func read(_ look: (ServiceTime, _ wall: UInt64, _ uptime: UInt64) -> UInt64) -> UInt64 {
        switch source {
        case .kept(let keeper): keeper.read(look)
        case .given(let now): now()
        }
    }

    private func change(_ body: (inout ServiceTime, _ wall: UInt64, _ uptime: UInt64) -> Void) {
        guard case .kept(let keeper) = source else { return }
        keeper.change(body)
    }
}

/// Guards the service's time for concurrent callers.
private final class Timekeeper: Sendable {
    let machine: MachineClock
    private let time: Mutex<ServiceTime>

    init(_ machine: MachineClock, kept: ClockReading?) {
        self.machine = machine
        time = Mutex(ServiceTime(kept: kept, wall: machine.wall(), uptime: machine.uptime()))
    }

    func read<Result>(_ look: (ServiceTime, _ wall: UInt64, _ uptime: UInt64) -> Result) -> Result {
        look(time.withLock { $0 }, machine.wall(), machine.uptime())
    }

    func change(_ body: (inout ServiceTime, _ wall: UInt64, _ uptime: UInt64) -> Void) {
        time.withLock { body(&$0, machine.wall(), machine.uptime()) }
    }
}
