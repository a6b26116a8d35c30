import Foundation

/// A random source that can be replayed: the seed is drawn anew for each run unless `TEST_SEED` names one.
package struct SeededRandom: RandomNumberGenerator {
    package let seed: UInt64
    private var state: UInt64

    package init() {
        seed = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        state = seed
    }

    /// One of several of a test, by the seed of all.
    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
