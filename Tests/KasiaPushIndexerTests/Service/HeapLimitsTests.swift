#if canImport(Glibc)
import Testing

@testable import KasiaPushIndexer

@Suite("Limits of the heap")
struct HeapLimitsTests {
    @Test(
        "a large block that the heap has no room for is the system's own, whatever was freed before it",
        arguments: [0, 1, 1 << 20])
    func mapped(more: Int) {
        HeapLimits.apply(environment: [:])
        let bytes = HeapLimits.mappedBytes + more
        // Left to itself, glibc takes blocks of this size from the heap once a larger one has been freed.
        for _ in 0..<3 { UnsafeMutableRawPointer.allocate(byteCount: 4 * bytes, alignment: 16).deallocate() }
        // What other tests have freed, and free meanwhile, is used up first.
        var blocks: [UnsafeMutableRawPointer] = []
        defer { for block in blocks { block.deallocate() } }
        var mappedInARow = 0
        while mappedInARow < 8 && blocks.count < 4_096 {
            let block = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
            blocks.append(block)
            // A block of its own begins with its page, after glibc's two words.
            mappedInARow = UInt(bitPattern: block) % 4096 == 16 ? mappedInARow + 1 : 0
        }
        #expect(mappedInARow == 8)
    }

    @Test("pages that were freed between blocks in use are given back")
    func givenBack() throws {
        // Some 100 MB in blocks of the heap, of which one in 256 stays.
        let blocks = (0..<100_000).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 1_000, alignment: 16) }
        for block in blocks { block.storeBytes(of: 1, as: UInt8.self) }
        let isKept = { (index: Int) in index.isMultiple(of: 256) }
        for (index, block) in blocks.enumerated() where !isKept(index) { block.deallocate() }
        let before = try #require(ProcessFacts.residentBytes())
        HeapLimits.giveBack()
        let after = try #require(ProcessFacts.residentBytes())
        for (index, block) in blocks.enumerated() where isKept(index) { block.deallocate() }
        #expect(after + 50_000_000 < before)
    }

    @Test("there is a part of the heap for each processor, 2 to 8")
    func arenas() {
        #expect((2...8).contains(HeapLimits.arenas))
    }
}
#endif
