/// The three clocks at one moment, stored so that the next start knows how long the service was down.
///
/// All milliseconds since 1970.
public struct ClockReading: Equatable, Sendable {
    /// The service's time.
    public var service: UInt64
    /// The machine's wall clock.
    public var wall: UInt64
    /// The chain's time.
    public var chain: UInt64

    /// Takes what was read.
    public init(service: UInt64, wall: UInt64, chain: UInt64) {
        self.service = service
        self.wall = wall
        self.chain = chain
    }

    /// What the clocks show after so many milliseconds in which none was set.
    public func later(by time: UInt64) -> ClockReading {
        ClockReading(service: service &+ time, wall: wall &+ time, chain: chain &+ time)
    }
}
