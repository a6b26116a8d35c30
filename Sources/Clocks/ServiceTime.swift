/// The three times of the service, out of the machine's two clocks and what the node says (see `ServiceClock`).
///
/// Pure: whoever asks says what the machine's clocks show, milliseconds.
struct ServiceTime {
    /// The service's time goes faster or slower by this part while it comes back to the wall clock: some five minutes a
    /// day.
    static let slewing: UInt64 = 256
    /// Closer than this to the wall clock it goes as it goes, milliseconds.
    static let closeEnough: UInt64 = 1_000
    /// The chain's time is asked for again after so much, milliseconds.
    static let listening: UInt64 = 20_000

    /// How long the chain's time is waited for after a start where the wall clock is not to be believed, milliseconds.
    static let patience: UInt64 = 30_000

    private enum Pace { case even, faster, slower }

    /// The service's time at `uptime`.
    private var service: UInt64
    private var uptime: UInt64
    private var pace = Pace.even
    private let startedAt: UInt64
    /// The last run's, until this run has heard the chain's time.
    private var kept: ClockReading?
    /// What the node said last, and when; before that, the last run's, which is too early.
    private var chain: (time: UInt64, uptime: UInt64)?
    private var isChainHeard = false
    private var lastHearing: UInt64?

    init(kept: ClockReading?, wall: UInt64, uptime: UInt64) {
        self.kept = kept
        self.uptime = uptime
        startedAt = uptime
        service = kept?.service ?? wall
        chain = kept.map { ($0.chain, uptime) }
    }

    func service(at uptime: UInt64) -> UInt64 {
        let passed = uptime.since(self.uptime)
        switch pace {
        case .even: return service + passed
        case .faster: return service + passed + passed / ServiceTime.slewing
        case .slower: return service + passed - passed / ServiceTime.slewing
        }
    }

    /// How late it is on the chain; nil in a store that has never heard of one.
    ///
    /// Before the node has said it, the last run's time and what has passed of this run: it is later than that.
    func chain(at uptime: UInt64) -> UInt64? { chain.map { $0.time + uptime.since($0.uptime) } }

    /// How far the wall clock is off; nil until the node has said what time it is.
    func skew(wall: UInt64, uptime: UInt64) -> ClockSkew? {
        guard isChainHeard, let chain = chain(at: uptime) else { return nil }
        return ClockSkew(wall: wall, chain: chain)
    }

    /// What time it most likely is: the wall clock's, unless the chain's says that it is wrong.
    func present(wall: UInt64, uptime: UInt64) -> UInt64 {
        guard let chain = chain(at: uptime) else { return wall }
        if ClockSkew(wall: wall, chain: chain).isTolerated { return wall }
        // A wall clock that is later than the last run's time may be right.
        return isChainHeard ? chain : max(wall, chain)
    }

    /// Whether it is known what time it is: not in the first moments of a run whose wall clock is far from what the last
    /// run left, unless the node has said it.
    func isSettled(wall: UInt64, uptime: UInt64) -> Bool {
        guard !isChainHeard, let chain = chain(at: uptime) else { return true }
        return ClockSkew(wall: wall, chain: chain).isTolerated || uptime.since(startedAt) >= ServiceTime.patience
    }

    /// How long ago the chain's time was `time`; for ever until the node has said what time it is.
    func lag(behind time: UInt64, uptime: UInt64) -> UInt64 {
        guard isChainHeard, let chain = chain(at: uptime) else { return .max }
        return chain.since(time)
    }

    /// Whether it is time to ask the node again.
    func shouldHear(at uptime: UInt64) -> Bool {
        lastHearing.map { uptime.since($0) >= ServiceTime.listening } ?? true
    }

    /// The node said what time it is on the chain.
    mutating func hear(_ time: UInt64, wall: UInt64, uptime: UInt64) {
        advance(to: uptime)
        if let kept {
            // The time away is the least that a clock says: what waits must not expire because one of them was set.
            let away = min(wall.since(kept.wall), time.since(kept.chain))
            service += away.since(uptime.since(startedAt))
        }
        kept = nil
        lastHearing = uptime
        let isFirst = !isChainHeard && chain == nil
        // A chain that stands still has not heard that time goes on.
        if !isChainHeard || chain?.time != time { chain = (time, uptime) }
        isChainHeard = true
        if isFirst { service = present(wall: wall, uptime: uptime) }
    }

    /// Brings the service's time nearer to the wall clock while that is right; to be called now and then.
    mutating func adjust(wall: UInt64, uptime: UInt64) {
        advance(to: uptime)
        pace = .even
        guard skew(wall: wall, uptime: uptime)?.isTolerated == true else { return }
        if wall.since(service) > ServiceTime.closeEnough { pace = .faster }
        if service.since(wall) > ServiceTime.closeEnough { pace = .slower }
    }

    /// For the store; nil in one that has never heard of a chain.
    func reading(wall: UInt64, uptime: UInt64) -> ClockReading? {
        guard let chain = chain(at: uptime) else { return nil }
        // How long this run was away is not known yet: the next one may learn it.
        let wall = kept.map { $0.wall + uptime.since(startedAt) } ?? wall
        return ClockReading(service: service(at: uptime), wall: wall, chain: chain)
    }

    private mutating func advance(to uptime: UInt64) {
        service = service(at: uptime)
        self.uptime = max(uptime, self.uptime)
    }
}

extension UInt64 {
    /// How much later it is than `time`; 0 when it is not.
    fileprivate func since(_ time: UInt64) -> UInt64 { self > time ? self - time : 0 }
}
