import Foundation
import Kaspa
import StoreSupport
import Synchronization
import Testing

@testable import Store

/// What a failing or filling disk does to a store, by script; the real thing is in IntegrationTests.
@Suite("A disk that fails", .timeLimit(.minutes(5)))
struct WriteAdmissionTests {
    /// A disk that a test changes.
    private final class Disk: Sendable {
        private let state = Mutex<(free: UInt64?, failing: StoreConditions.Step?, steps: [StoreConditions.Step])>(
            (nil, nil, []))

        func setFree(_ bytes: UInt64?) { state.withLock { $0.free = bytes } }

        func fail(_ step: StoreConditions.Step?) { state.withLock { $0.failing = step } }

        /// The writes and syncs that reached the disk, or would have.
        var changes: [StoreConditions.Step] { state.withLock { $0.steps.filter { $0 != .read } } }

        var conditions: StoreConditions {
            StoreConditions(
                freeBytes: { _ in self.state.withLock { $0.free } },
                before: { (step) throws(StoreError) in
                    let isFailing = self.state.withLock { state in
                        state.steps.append(step)
                        return state.failing == step
                    }
                    if isFailing { throw StoreError(.inputOutput, "IO error: No space left on device") }
                })
        }
    }

    private let directory: TemporaryDirectory
    private let disk = Disk()
    private static let limit: UInt64 = 8_000

    init() throws { directory = try TemporaryDirectory() }

    private func store() throws -> Store {
        var limits = StoreLimits()
        limits.minimumFreeBytes = WriteAdmissionTests.limit
        return try Store(
            path: directory.file("store"), network: .mainnet, limits: limits, conditions: disk.conditions)
    }

    private func code(_ change: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await change()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    /// Everything that takes something in.
    private func growths(of store: Store) -> [@Sendable () async throws -> Void] {
        [
            { _ = try await store.history.apply(Sample.step(cursor: 3), now: 1, withdrawsUnsent: false) },
            { _ = try await store.history.recordPending([Sample.operation(9)]) },
            { try await store.history.resetCursor(to: Sample.cursor(4)) },
            {
                _ = try await store.outbox.fanOut(
                    event: 1, lists: [], limit: 1, ordinaryWatchers: 1, now: 1, expiresAt: 2
                ) { _, _ in .notify }
            },
        ]
    }

    /// Everything that ends or forgets something.
    private func upkeep(of store: Store) -> [@Sendable () async throws -> Void] {
        [
            { _ = try await store.outbox.settle([], now: 1) },
            { _ = try await store.registry.changeDevice(Sample.id(1)) { _ -> DeviceDecision<Never> in .remove } },
            { try await store.registry.removeDevice(Sample.id(1)) },
            { try await store.registry.replaceProviderToken(nil, by: [1]) },
            { try await store.outbox.pruneEnqueuedMarkers(before: 1, limit: 1, keepsUncorrected: false) },
        ]
    }

    @Test(
        "With less than twice the limit no registration is taken in, new or changed, and each can be ended",
        arguments: [
            (UInt64?.none, true), (.max, true), (16_001, true), (16_000, true), (15_999, false), (8_000, false),
        ])
    func registrations(free: UInt64?, mayRegister: Bool) async throws {
        let store = try store()
        let known = Sample.device(1, watching: [Sample.address(1)])
        try await store.registry.upsertDevice(known.id) { _ in known }
        disk.setFree(free)
        for device in [known, Sample.device(2, watching: [Sample.address(1)])] {
            let nonce = NonceUse(
                nonce: [UInt8](repeating: device.token[0], count: 16), expiresAt: 60_000, usedAt: 1)
            let outcome = await code {
                _ = try await store.registry.changeDevice(device.id, using: nonce) { _ -> DeviceDecision<Never> in
                    .put(device)
                }
            }
            #expect(outcome == (mayRegister ? nil : .lowSpace))
            #expect(try await store.registry.wasUsed(nonce) == mayRegister, "what is not written uses nothing up")
            #expect(
                await code {
                    _ = try await store.registry.changeDevice(device.id) { _ -> DeviceDecision<Never> in .remove }
                }
                    == nil)
        }
        #expect(store.registrationTrouble?.code == (mayRegister ? nil : .lowSpace))
        #expect(store.trouble == nil)
    }

    @Test(
        "With less than the limit nothing new is taken in, with an eighth of it nothing is written",
        arguments: [
            (UInt64?.none, true, true), (.max, true, true), (15_999, true, true), (8_001, true, true),
            (8_000, true, true),
            (7_999, false, true), (1_001, false, true), (1_000, false, true), (999, false, false), (0, false, false),
        ])
    func lowSpace(free: UInt64?, mayGrow: Bool, mayKeep: Bool) async throws {
        let store = try store()
        try await store.registry.upsertDevice(Sample.id(1)) { _ in Sample.device(1, watching: [Sample.address(1)]) }
        disk.setFree(free)
        for change in growths(of: store) { #expect(await code(change) == (mayGrow ? nil : .lowSpace)) }
        for change in upkeep(of: store) { #expect(await code(change) == (mayKeep ? nil : .lowSpace)) }
        #expect(store.trouble?.code == (mayGrow ? nil : .lowSpace))
        #expect(await code { try store.checkRoom() } == (mayGrow ? nil : .lowSpace))
        #expect(await code { try store.checkWritable() } == (mayKeep ? nil : .lowSpace))
        #expect(await code { try await store.sync() } == nil)
        disk.setFree(WriteAdmissionTests.limit)
        for change in growths(of: store) { #expect(await code(change) == nil) }
        #expect(store.trouble == nil)
    }

    @Test("The sentence names the limit, the key and the directory, and stays the same as the space changes")
    func sentence() throws {
        let store = try store()
        disk.setFree(7_999)
        let message = try #require(store.trouble?.message)
        for part in ["8000 bytes", "store.min_free_space", directory.file("store")] { #expect(message.contains(part)) }
        disk.setFree(10)
        #expect(store.trouble?.message == message)
    }

    @Test("A limit of 0 is off")
    func off() async throws {
        let store = try Store(path: directory.file("store"), network: .mainnet, conditions: disk.conditions)
        disk.setFree(0)
        for change in growths(of: store) { #expect(await code(change) == nil) }
    }

    @Test(
        "After the first failure nothing reaches the disk any more, until the store is opened anew",
        arguments: [StoreConditions.Step.commit, .sync])
    func stopped(step: StoreConditions.Step) async throws {
        func opened() async throws {
            let store = try store()
            try await store.registry.upsertDevice(Sample.id(1)) { _ in Sample.device(1, watching: [Sample.address(1)]) }
            try await store.sync()
            disk.fail(step)
            #expect(
                await code {
                    try await store.registry.upsertDevice(Sample.id(2)) { _ in Sample.device(2) }
                    try await store.sync()
                } == .stopped)
            disk.fail(nil)
            let before = disk.changes
            for change in growths(of: store) + upkeep(of: store) { #expect(await code(change) == .stopped) }
            #expect(await code { try await store.sync() } == .stopped)
            #expect(disk.changes == before)
            let message = try #require(store.trouble?.message)
            for part in ["No space left on device", directory.file("store"), "restart"] {
                #expect(message.contains(part))
            }
            // Reads go on.
            #expect(try await store.registry.device(Sample.id(1)) != nil)
        }
        try await opened()
        let again = try store()
        #expect(again.trouble == nil)
        #expect(try await again.registry.device(Sample.id(1)) != nil)
        // What was written and not synced was not acknowledged: it may be there or not.
        if step == .commit { #expect(try await again.registry.device(Sample.id(2)) == nil) }
        for change in growths(of: again) { #expect(await code(change) == nil) }
    }

    @Test("A change that throws by itself stops nothing")
    func ownError() async throws {
        let store = try store()
        #expect(
            await code {
                try await store.write { (_) throws(StoreError) in throw StoreError(.corrupt, "a row") }
            } == .corrupt)
        #expect(store.trouble == nil)
    }

    @Test("A failed read stops nothing")
    func failedRead() async throws {
        let store = try store()
        disk.fail(.read)
        #expect(await code { _ = try await store.history.operation(Sample.transaction(1)) } == .inputOutput)
        disk.fail(nil)
        #expect(store.trouble == nil)
        for change in growths(of: store) { #expect(await code(change) == nil) }
    }

    @Test("Work in the background that failed stops the store before the next write and sync")
    func background() throws {
        let count = Atomic<UInt64>(0)
        let admission = WriteAdmission(path: "/store", minimumFreeBytes: 0, freeBytes: { _ in 0 }) {
            count.load(ordering: .relaxed)
        }
        var calls = 0
        try admission.perform { calls += 1 }
        count.store(1, ordering: .relaxed)
        #expect(throws: StoreError.self) { try admission.perform { calls += 1 } }
        #expect(admission.trouble(with: .upkeep)?.code == .stopped)
        #expect(calls == 1)
    }

    @Test("The machine's own disk has space to tell of; a directory that is not there has none")
    func realDisk() {
        #expect((StoreConditions.freeBytes(directory.file("")) ?? 0) > 0)
        #expect(StoreConditions.freeBytes("/no/such/directory") == nil)
    }
}
