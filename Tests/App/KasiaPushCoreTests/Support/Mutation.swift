import TestRandom

extension [UInt8] {
    /// Changes, removes, doubles or inserts something somewhere.
    mutating func mutate(using random: inout some RandomNumberGenerator) {
        guard let index = indices.randomElement(using: &random) else { return append(0) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: self[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: self[index] = .random(in: .min ... .max, using: &random)
        case 2: remove(at: index)
        case 3: insert(.random(in: .min ... .max, using: &random), at: index)
        default: removeSubrange(index..<Swift.min(index + Int.random(in: 1...16, using: &random), count))
        }
    }
}

extension SeededRandom {
    /// Random bytes, of a random count.
    mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
        let count = Int.random(in: count, using: &self)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
