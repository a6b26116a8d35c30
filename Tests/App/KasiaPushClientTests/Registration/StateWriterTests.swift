import Testing

@testable import KasiaPushClient

/// The order in which states are stored.
@Suite struct StateWriterTests {
    /// Stores slowly.
    actor SlowStorage {
        private(set) var stored: [Int] = []
        private(set) var mostAtOnce = 0
        private var atOnce = 0
        private var failing: Set<Int> = []

        struct Full: Error {}

        func save(_ state: Int) async throws {
            atOnce += 1
            mostAtOnce = max(mostAtOnce, atOnce)
            for _ in 0..<10 { await Task.yield() }
            atOnce -= 1
            if failing.contains(state) { throw Full() }
            stored.append(state)
        }

        func fail(_ states: Set<Int>) { failing = states }
    }

    private let storage = SlowStorage()

    private func writer() -> StateWriter<Int> { StateWriter { [storage] in try await storage.save($0) } }

    @Test(arguments: 0..<20)
    func oneAfterTheOtherAndTheNewestLast(_: Int) async throws {
        let writer = writer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for state in 1...20 { group.addTask { try await writer.write(state, revision: UInt64(state)) } }
            try await group.waitForAll()
        }
        let stored = await storage.stored
        #expect(stored == stored.sorted())
        #expect(stored.last == 20)
        #expect(await storage.mostAtOnce == 1)
    }

    @Test func aStateThatCameLateDoesNotReplaceANewerOne() async throws {
        let writer = writer()
        try await writer.write(2, revision: 2)
        try await writer.write(1, revision: 1)
        #expect(await storage.stored == [2])
    }

    @Test func whatFailedIsThrownAndTheNextIsStored() async throws {
        let writer = writer()
        await storage.fail([1])
        await #expect(throws: SlowStorage.Full.self) { try await writer.write(1, revision: 1) }
        try await writer.write(2, revision: 2)
        #expect(await storage.stored == [2])
    }
}
