import Testing

@testable import KaspaNode

@Suite struct VirtualChainScanTests {
    /// Whether a scan takes an answer with so many empty fields of each kind.
    private static func takes(removed: Int = 0, added: Int = 0, blocks: Int = 0) -> Bool {
        var limits = VirtualChainScan.Limits()
        limits.removed = 5
        limits.added = 3
        var scan = VirtualChainScan(filter: NothingWatched(), limits: limits)
        var bytes: [UInt8] = []
        for (field, count) in [(1, removed), (2, added), (3, blocks)] as [(UInt8, Int)] {
            for _ in 0..<count { bytes += [field << 3 | 2, 0] }
        }
        do {
            try bytes.withUnsafeBytes { try scan.read($0, depth: 2) }
            return true
        } catch {
            #expect((error as? WireError) == WireError.tooMany)
            return false
        }
    }

    @Test("An answer holds so many chain blocks and removed hashes and not one more", arguments: [-1, 0, 1])
    func limits(excess: Int) {
        #expect(Self.takes(removed: 5 + excess, added: 3, blocks: 3) == (excess <= 0))
        #expect(Self.takes(removed: 5, added: 3 + excess, blocks: 3) == (excess <= 0))
        #expect(Self.takes(removed: 5, added: 3, blocks: 3 + excess) == (excess <= 0))
    }

    @Test("The limits are far from what a node answers")
    func defaults() {
        let limits = VirtualChainScan.Limits()
        #expect(limits.added == 100_000 && limits.removed == 2_000_000)
    }
}
