#if canImport(Glibc)
import CAllocator
import Testing

@testable import KasiaPushIndexer

// One after another: each counts what the whole process has.
@Suite("The allocator", .serialized)
struct AllocatorTests {
    /// Some 100 MB in small blocks, all of them written to.
    private static func blocks() -> [UnsafeMutableRawPointer] {
        let blocks = (0..<100_000).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 1_000, alignment: 16) }
        for block in blocks { block.storeBytes(of: 1, as: UInt8.self) }
        return blocks
    }

    @Test("the service's settings are in force")
    func settings() {
        var (arenas, givesBack): (CUnsignedInt, Bool) = (0, false)
        #expect(callocator_settings(&arenas, &givesBack))
        #expect(arenas == 4)
        #expect(givesBack)
    }

    @Test("what is allocated is counted, and no more once it is freed")
    func counted() {
        var (before, during, after, freed): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        #expect(callocator_heap(&before, &freed))
        // Never written to, so it takes no memory; far more than other tests allocate and free meanwhile.
        let block = UnsafeMutableRawPointer.allocate(byteCount: 1 << 30, alignment: 16)
        #expect(callocator_heap(&during, &freed))
        block.deallocate()
        #expect(callocator_heap(&after, &freed))
        #expect(during > before + (1 << 29))
        #expect(after + (1 << 29) < during)
    }

    @Test("pages that were freed between blocks in use are given back by themselves")
    func givenBack() async throws {
        let blocks = Self.blocks()
        let before = try #require(ProcessFacts.residentBytes())
        // One block in 256 stays.
        let isKept = { (index: Int) in index.isMultiple(of: 256) }
        for (index, block) in blocks.enumerated() where !isKept(index) { block.deallocate() }
        defer { for (index, block) in blocks.enumerated() where isKept(index) { block.deallocate() } }
        let deadline = ContinuousClock.now + .seconds(60)
        while try #require(ProcessFacts.residentBytes()) + 50_000_000 > before {
            guard ContinuousClock.now < deadline else {
                Issue.record("the memory is still resident after a minute")
                return
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
#endif
