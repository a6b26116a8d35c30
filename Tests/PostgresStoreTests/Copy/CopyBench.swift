import Kaspa
import StoreSupport
import TestRandom
import Testing

@testable import PostgresStore
@testable import Store

/// Stores on both engines, to copy from and to.
struct CopyBench {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func rocks(_ name: String) -> StoreLocation { .directory(directory.file(name)) }

    func postgres(_ name: String) throws -> StoreLocation {
        .database(try TestStores.location(directory.file(name)))
    }

    /// Tries again while the store is locked: a server frees a lock only some time after its connection was closed.
    static func patiently<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            do {
                return try await body()
            } catch let error as StoreError where error.code == .locked && ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    /// Opens as a service does, or as a copy does.
    static func open(
        _ location: StoreLocation, limits: StoreLimits = StoreLife.limits, readOnly: Bool = false,
        acceptsPartialCopy: Bool = false
    ) throws -> Store {
        switch location {
        case .directory(let path):
            try Store(
                path: path, network: .mainnet, limits: limits, readOnly: readOnly, conditions: StoreConditions(),
                acceptsPartialCopy: acceptsPartialCopy)
        case .database(let database):
            try PostgresStore.open(
                database, network: .mainnet, limits: limits, readOnly: readOnly,
                acceptsPartialCopy: acceptsPartialCopy)
        }
    }

    /// Runs `body` on a store and returns when it is closed.
    static func with<Answer>(
        _ location: StoreLocation, acceptsPartialCopy: Bool = false, _ body: (Store) async throws -> Answer
    ) async throws -> Answer {
        let closing: StoreClosing
        let answer: Answer
        do {
            let store = try await patiently { try open(location, acceptsPartialCopy: acceptsPartialCopy) }
            closing = store.closing
            answer = try await body(store)
            // What the writer keeps until it is safe would keep the store open.
            try await store.sync()
        }
        #expect(await closing.wait(atMost: .seconds(10)))
        return answer
    }

    static func dump(_ location: StoreLocation) throws -> StoreDump { try StoreDump(open(location, readOnly: true)) }

    /// Lives a random life in a fresh store; it may go on in others.
    static func live(_ steps: Int, in location: StoreLocation) async throws -> StoreLife {
        try await with(location) { store in
            var life = try await StoreLife([store])
            try await life.live(steps)
            life.stores = []
            return life
        }
    }

    /// Fills a store with `count` rows of 42 bytes each that belong to nothing else.
    static func fill(_ location: StoreLocation, rows count: Int, value: [UInt8] = [UInt8](repeating: 1, count: 10))
        async throws
    {
        try await with(location) { store in
            try await store.write { transaction in
                for number in 0..<count {
                    let key = [UInt8](repeating: 0, count: 30) + [UInt8(number / 256), UInt8(number % 256)]
                    transaction.put(.groupBindings, key, value)
                }
            }
        }
    }

    static func copy(
        _ source: StoreLocation, to target: StoreLocation, rowsPerBatch: Int = StoreCopy.rowsPerBatch,
        _ progress: (ColumnFamily, UInt64) -> Void = { _, _ in }
    ) async throws -> StoreCheck {
        try await patiently {
            try await source.copy(
                to: target, network: .mainnet, limits: StoreLife.limits, rowsPerBatch: rowsPerBatch, progress)
        }
    }

    /// Copies one batch and is cancelled; false when that was the end of it.
    static func copyOneBatch(_ source: StoreLocation, to target: StoreLocation, rowsPerBatch: Int) async throws -> Bool
    {
        let task = Task {
            var family: ColumnFamily?
            _ = try await copy(source, to: target, rowsPerBatch: rowsPerBatch) { next, _ in
                // It is told at a family's beginning, and then of each batch.
                if next == family { withUnsafeCurrentTask { $0?.cancel() } }
                family = next
            }
        }
        do {
            try await task.value
            return false
        } catch is CancellationError {
            return true
        }
    }

    /// The code and sentence with which `body` fails.
    static func failure(_ body: () async throws -> Void) async -> StoreError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? StoreError
        }
    }
}
