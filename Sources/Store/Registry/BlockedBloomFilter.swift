/// A Bloom filter of hashes: it finds every member, and sometimes a hash that is none.
///
/// All bits of a hash stand in one block of 64 bytes, so that a look-up touches one or two lines of the processor's
/// cache and not seven. At its capacity it finds some 13 of 1,000 hashes that are no members, at two thirds of it 4.
struct BlockedBloomFilter: Sendable {
    static let bitsPerEntry = 10
    /// Bits set for each hash: nine of the hash's mixed bits choose one of a block's 512.
    static let probes = 7
    private static let wordsPerBlock = 8

    private(set) var words: [UInt64]
    private let blocks: UInt64
    /// Entries that it is made for.
    let capacity: Int
    /// Entries that set a bit: nearly as many as there are different ones.
    private(set) var count = 0

    /// At least one block.
    init(capacity: Int) {
        self.capacity = capacity
        blocks = BlockedBloomFilter.blocks(for: capacity)
        words = [UInt64](repeating: 0, count: Int(blocks) * BlockedBloomFilter.wordsPerBlock)
    }

    /// One that was filled before; nil unless there are as many words as its capacity takes.
    init?(capacity: Int, count: Int, words: [UInt64]) {
        guard capacity >= 0, capacity < Int.max / BlockedBloomFilter.bitsPerEntry / 2, count >= 0 else { return nil }
        blocks = BlockedBloomFilter.blocks(for: capacity)
        guard words.count == Int(blocks) * BlockedBloomFilter.wordsPerBlock else { return nil }
        (self.capacity, self.count, self.words) = (capacity, count, words)
    }

    private static func blocks(for capacity: Int) -> UInt64 {
        let bits = max(capacity, 1) * bitsPerEntry
        let blockBits = wordsPerBlock * 64
        return UInt64((bits + blockBits - 1) / blockBits)
    }

    var byteCount: Int { words.count * 8 }
    var isOverfull: Bool { count > capacity }

    func contains(_ hash: UInt64) -> Bool {
        let start = block(of: hash)
        var choice = BlockedBloomFilter.mix(hash)
        for _ in 0..<BlockedBloomFilter.probes {
            guard words[start + Int(choice >> 6 & 7)] & 1 << (choice & 63) != 0 else { return false }
            choice >>= 9
        }
        return true
    }

    mutating func insert(_ hash: UInt64) {
        let start = block(of: hash)
        var choice = BlockedBloomFilter.mix(hash)
        var isNew = false
        for _ in 0..<BlockedBloomFilter.probes {
            let (word, bit) = (start + Int(choice >> 6 & 7), UInt64(1) << (choice & 63))
            if words[word] & bit == 0 {
                words[word] |= bit
                isNew = true
            }
            choice >>= 9
        }
        if isNew { count += 1 }
    }

    /// Where the hash's block begins: its upper half, scaled to the number of blocks.
    private func block(of hash: UInt64) -> Int {
        Int((hash >> 32).multipliedFullWidth(by: blocks << 32).high) * BlockedBloomFilter.wordsPerBlock
    }

    /// Bits that do not follow from the block's number.
    private static func mix(_ hash: UInt64) -> UInt64 {
        var bits = hash &* 0x9e37_79b9_7f4a_7c15
        bits ^= bits >> 29
        bits = bits &* 0xbf58_476d_1ce4_e5b9
        return bits ^ bits >> 32
    }
}
