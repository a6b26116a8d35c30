import Foundation
import Kaspa
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("A copy that is refused", .timeLimit(.minutes(5)))
struct RefusedCopyTests {
    @Test("A target that holds a row", arguments: [ColumnFamily.meta, .operations, .watchers, .releasedBindings])
    func targetWithRows(_ family: ColumnFamily) async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), bench.rocks("target"))
        try await CopyBench.fill(source, rows: 1)
        // The watch index takes no shorter key.
        try await CopyBench.with(target) { store in
            try await store.write { $0.put(family, [UInt8](repeating: 1, count: 51), []) }
        }
        let before = try? CopyBench.dump(target)
        let failure = await CopyBench.failure { _ = try await CopyBench.copy(source, to: target) }
        #expect(failure?.code == .unsupported && failure?.message.contains("holds rows already") == true)
        #expect(before == (try? CopyBench.dump(target)))
    }

    @Test("A PostgreSQL target that holds a device")
    func postgresTargetWithRows() async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), try bench.postgres("target"))
        try await CopyBench.fill(source, rows: 1)
        try await CopyBench.fill(target, rows: 2)
        let failure = await CopyBench.failure { _ = try await CopyBench.copy(source, to: target) }
        #expect(failure?.code == .unsupported && failure?.message.contains("holds rows already") == true)
        #expect(try CopyBench.dump(target).rows[.groupBindings]?.count == 2)
    }

    @Test("A target with a part of another store, and of the same one before a write", arguments: [true, false])
    func otherSource(isToPostgres: Bool) async throws {
        let bench = try CopyBench()
        let (first, second) = (bench.rocks("first"), bench.rocks("second"))
        let target = isToPostgres ? try bench.postgres("target") : bench.rocks("target")
        try await CopyBench.fill(first, rows: 9)
        try await CopyBench.fill(second, rows: 9)
        try await CopyBench.fill(second, rows: 8)
        #expect(try await CopyBench.copyOneBatch(first, to: target, rowsPerBatch: 5))
        let other = await CopyBench.failure { _ = try await CopyBench.copy(second, to: target) }
        #expect(other?.code == .unsupported && other?.message.contains("a part of another store") == true)
        try await CopyBench.fill(first, rows: 1)
        let changed = await CopyBench.failure { _ = try await CopyBench.copy(first, to: target) }
        #expect(changed == other)
    }

    @Test("An opening of the source to write changes no row, and the copy goes on")
    func openedSource() async throws {
        let bench = try CopyBench()
        for (source, target) in [
            (bench.rocks("a"), try bench.postgres("b")), (try bench.postgres("c"), bench.rocks("d")),
        ] {
            try await CopyBench.fill(source, rows: 9)
            #expect(try await CopyBench.copyOneBatch(source, to: target, rowsPerBatch: 5))
            try await CopyBench.with(source) { _ in }
            _ = try await CopyBench.copy(source, to: target)
            #expect(try CopyBench.dump(target).rows[.groupBindings]?.count == 9)
        }
    }

    @Test("A source or a target that a service has open")
    func service() async throws {
        let bench = try CopyBench()
        let (rocks, postgres) = (bench.rocks("rocks"), try bench.postgres("postgres"))
        try await CopyBench.fill(postgres, rows: 1)
        try await CopyBench.fill(rocks, rows: 1)
        let service = try await CopyBench.patiently { try CopyBench.open(postgres) }
        let ofSource = await CopyBench.failure {
            _ = try await postgres.copy(to: bench.rocks("new"), network: .mainnet)
        }
        #expect(ofSource?.code == .locked)
        let ofTarget = await CopyBench.failure { _ = try await rocks.copy(to: postgres, network: .mainnet) }
        #expect(ofTarget?.code == .locked)
        withExtendedLifetime(service) {}
        let lock = try WriteLock(store: bench.directory.file("rocks"))
        #expect(lock.isHeld)
        let ofDirectory = await CopyBench.failure {
            _ = try await rocks.copy(to: try bench.postgres("new"), network: .mainnet)
        }
        #expect(ofDirectory?.code == .locked)
    }

    @Test("No service gets a directory that is being copied")
    func lockedMeanwhile() async throws {
        let bench = try CopyBench()
        let path = bench.directory.file("store")
        try await CopyBench.fill(.directory(path), rows: 1)
        do {
            let lock = try DirectoryLock(path)
            #expect(try !WriteLock(store: path).isHeld)
            withExtendedLifetime(lock) {}
        }
        #expect(try WriteLock(store: path).isHeld)
    }

    @Test("A source that is not there makes nothing")
    func missing() async throws {
        let bench = try CopyBench()
        let (rocks, postgres) = (bench.rocks("none"), try bench.postgres("none"))
        for source in [rocks, postgres] {
            for _ in 0..<2 {
                let failure = await CopyBench.failure { _ = try await CopyBench.copy(source, to: bench.rocks("new")) }
                #expect(failure?.code == .inputOutput)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: bench.directory.file("none")))
        #expect(!FileManager.default.fileExists(atPath: bench.directory.file("new")))
    }

    @Test("A source with rows that contradict each other, before anything is written")
    func unsoundSource() async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), bench.rocks("target"))
        try await CopyBench.with(source) { store in
            try await store.write { $0.put(.walletDevices, [UInt8](repeating: 1, count: 49), []) }
        }
        let failure = await CopyBench.failure { _ = try await CopyBench.copy(source, to: target) }
        #expect(failure?.code == .corrupt && failure?.message.contains("check --repair") == true)
        #expect(try CopyBench.dump(target).count == 2)
    }

    @Test("A source that is written to meanwhile: the copy stays closed")
    func writtenSource() async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), bench.rocks("target"))
        try await CopyBench.fill(source, rows: 1)
        let service = try CopyBench.open(source)
        let copy = StoreCopy(from: service, to: try CopyBench.open(target, acceptsPartialCopy: true))
        let failure = await CopyBench.failure {
            _ = try await copy.run { family, _ in
                guard family == .devices else { return }
                let late = WriteTransaction(service.database)
                late.put(.groupBindings, [UInt8](repeating: 9, count: 32), [])
                #expect(throws: Never.self) { try service.rocks?.database.commit(late, synced: false) }
            }
        }
        #expect(failure?.code == .locked && failure?.message.contains("written to the source") == true)
    }

    @Test("A copy that lacks a row at the end stays closed, and the error says where")
    func lossyTarget() async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), try bench.postgres("target"))
        try await CopyBench.fill(source, rows: 9)
        #expect(try await CopyBench.copyOneBatch(source, to: target, rowsPerBatch: 5))
        try await CopyBench.with(target, acceptsPartialCopy: true) { store in
            try await store.write { $0.delete(.groupBindings, [UInt8](repeating: 0, count: 32)) }
        }
        let failure = await CopyBench.failure { _ = try await CopyBench.copy(source, to: target) }
        #expect(failure?.code == .corrupt && failure?.message.contains("group_bindings: 8 of 9 rows") == true)
        let refusal = await CopyBench.failure {
            _ = try await CopyBench.patiently { try CopyBench.open(target) }
        }
        #expect(refusal == .partlyCopied)
    }

    @Test("A URL is a database, and all else is a path")
    func locations() {
        for url in ["postgresql://user@host/name", "postgres://host/name"] {
            guard case .database(let location) = StoreLocation(url, passwordFile: "file") else {
                Issue.record("\(url) is no database")
                continue
            }
            #expect(location.url == url && location.passwordFile == "file")
        }
        for path in ["/var/lib/store", "data", "./postgresql:"] {
            guard case .directory(path) = StoreLocation(path) else {
                Issue.record("\(path) is no directory")
                continue
            }
        }
        #expect(!"\(StoreLocation("postgresql://user:secret@host/name"))".contains("secret"))
    }
}
