import Foundation

@testable import KasiaPushClient

/// The phone's clock in virtual time, and chance.
final class SimulatedClock: @unchecked Sendable {
    // Unchecked, as the lock guards all of it.
    private let lock = NSLock()
    private var time: Int64
    private var error: Int64 = 0
    private var random: RandomStream

    init(time: Int64, random: RandomStream) {
        self.time = time
        self.random = random
    }

    /// What the phone takes for the time, milliseconds since 1970.
    var now: Int64 { lock.withLock { time + error } }

    /// How wrong that is.
    var currentError: Int64 { lock.withLock { error } }

    func set(time: Int64) { lock.withLock { self.time = time } }

    func set(error: Int64) { lock.withLock { self.error = error } }

    /// It sleeps no time: the simulation moves on by itself.
    var environment: RegistrationEnvironment {
        RegistrationEnvironment(
            now: { self.now }, sleep: { _ in },
            chance: { self.lock.withLock { Double.random(in: 0...1, using: &self.random) } })
    }
}

/// Random numbers of a given seed (SplitMix64).
struct RandomStream: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    mutating func chance(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &self) < chance }
}
