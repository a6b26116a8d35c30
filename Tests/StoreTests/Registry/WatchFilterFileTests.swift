import Foundation
import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite(
    "The filter of watched scripts, kept from a stop to the next start", .rocksDBAlone("a file beside the directory"),
    .timeLimit(.minutes(10)))
struct WatchFilterFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("store") }
    private var file: String { path + "/" + WatchFilterFile.name }

    init() throws { directory = try TemporaryDirectory() }

    private static func mayContain(_ scripts: WatchedScripts, _ numbers: ClosedRange<Int>) -> Bool {
        numbers.allSatisfy { Script(paying: Sample.address($0)).bytes.withUnsafeBytes(scripts.mayContain) }
    }

    private func register(_ number: Int, in store: Store) async throws {
        let device = Sample.device(number, watching: [Sample.address(number)])
        try await store.registry.upsertDevice(device.id) { _ in device }
    }

    /// A store in which devices 1 to 3 watch an address each, stopped in order.
    private func stopped() async throws {
        let store = try await open()
        for number in 1...3 { try await register(number, in: store) }
        try await store.registry.fillWatchedScripts()
        #expect(try await store.registry.keepWatchedScripts())
    }

    private func open() async throws -> Store { try await StoreFiles(path: path).open() }

    @Test("It is complete after the next start, grows on, and can be kept again", arguments: [0, 1, 5])
    func kept(_ restarts: Int) async throws {
        try await stopped()
        for number in 0..<restarts {
            let store = try await open()
            #expect(
                store.registry.watchedScripts.isFilled
                    && Self.mayContain(store.registry.watchedScripts, 1...(3 + number)))
            try await register(4 + number, in: store)
            #expect(try await store.registry.keepWatchedScripts())
        }
        let store = try await open()
        #expect(
            store.registry.watchedScripts.isFilled && Self.mayContain(store.registry.watchedScripts, 1...(3 + restarts))
        )
        #expect(!Self.mayContain(store.registry.watchedScripts, 90...95))
    }

    @Test("It is taken once: after a crash there is none")
    func once() async throws {
        try await stopped()
        #expect(try await open().registry.watchedScripts.isFilled)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try await !open().registry.watchedScripts.isFilled)
    }

    @Test("Any write after it makes it worthless, even one that changes nothing")
    func stale() async throws {
        let writes: [@Sendable (Store) async throws -> Void] = [
            {
                try await $0.registry.upsertDevice(Sample.id(9)) { _ in Sample.device(9, watching: [Sample.address(9)])
                }
            },
            { try await $0.registry.removeDevice(Sample.id(1)) },
            { store in
                let network = Array("\(store.network)".utf8)
                try await store.write { $0.put(.meta, MetaKey.network, network) }
            },
        ]
        for (number, write) in writes.enumerated() {
            try await stopped()
            do {
                let store = try await open()
                try await store.registry.keepWatchedScripts()
                try await write(store)
            }
            let scripts = try await open().registry.watchedScripts
            #expect(!scripts.isFilled && Self.mayContain(scripts, 1...9), "write \(number)")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test("What a program that does not know the file writes makes it worthless as well")
    func foreignWrite() async throws {
        try await stopped()
        let bytes = try Data(contentsOf: URL(filePath: file))
        do { try await register(4, in: open()) }
        try bytes.write(to: URL(filePath: file))
        let scripts = try await open().registry.watchedScripts
        #expect(!scripts.isFilled && Self.mayContain(scripts, 1...4))
    }

    @Test("Another store's file is not believed")
    func foreignFile() async throws {
        try await stopped()
        let other = directory.file("other")
        do {
            let store = try Store(path: other, network: .mainnet)
            for number in 11...13 { try await register(number, in: store) }
            try await store.registry.keepWatchedScripts()
        }
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: other + "/" + WatchFilterFile.name, toPath: file)
        let scripts = try await open().registry.watchedScripts
        #expect(!scripts.isFilled && Self.mayContain(scripts, 1...3))
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A damaged file is not believed, whatever part of it is gone or changed")
    func damaged() async throws {
        try await stopped()
        let good = try Data(contentsOf: URL(filePath: file))
        var broken = [0, 1, 31, 32, 33, 100, good.count - 1].map { good.prefix($0) } + [good + [0]]
        for offset in [
            0, 10, 23, 24, 28, 40, 64, 70, 80, 90, 100, 110, good.count / 2, good.count - 33, good.count - 1,
        ] {
            var bytes = good
            bytes[offset] ^= 1
            broken.append(bytes)
        }
        for (number, bytes) in broken.enumerated() {
            try bytes.write(to: URL(filePath: file))
            let scripts = try await open().registry.watchedScripts
            #expect(!scripts.isFilled && Self.mayContain(scripts, 1...3), "damage \(number)")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
        // Openings alone wrote nothing.
        try good.write(to: URL(filePath: file))
        #expect(try await open().registry.watchedScripts.isFilled)
    }

    @Test("Words that do not fit a filter's numbers make none")
    func senseless() {
        let filter = BlockedBloomFilter(capacity: 100)
        #expect(BlockedBloomFilter(capacity: 100, count: 1, words: filter.words) != nil)
        for (capacity, count, words) in [
            (100, 1, filter.words.count - 1), (100, 1, filter.words.count + 1), (100, 1, 0), (-1, 1, 8), (.max, 1, 8),
            (100, -1, filter.words.count),
        ] {
            let words = [UInt64](repeating: 0, count: words)
            #expect(BlockedBloomFilter(capacity: capacity, count: count, words: words) == nil)
        }
    }

    @Test("Who only reads leaves it where it is")
    func reader() async throws {
        try await stopped()
        #expect(try Store(path: path, network: .mainnet, readOnly: true).registry.watchedScripts.isEmpty)
        #expect(try await open().registry.watchedScripts.isFilled)
    }

    @Test("There is nothing to keep before the index was read, and where nothing is watched")
    func nothing() async throws {
        do {
            let store = try Store(path: path, network: .mainnet)
            #expect(try await !store.registry.keepWatchedScripts())
            try await register(1, in: store)
        }
        let store = try await open()
        #expect(try await !store.registry.keepWatchedScripts())
        #expect(!FileManager.default.fileExists(atPath: file))
        try await store.registry.fillWatchedScripts()
        #expect(try await store.registry.keepWatchedScripts())
    }

    @Test("A directory that takes no file is an error, and costs nothing")
    func refused() async throws {
        do {
            let store = try Store(path: path, network: .mainnet)
            try await register(1, in: store)
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            await #expect(throws: StoreError.self) { try await store.registry.keepWatchedScripts() }
            try FileManager.default.removeItem(atPath: file)
        }
        let scripts = try await open().registry.watchedScripts
        #expect(!scripts.isFilled && Self.mayContain(scripts, 1...1))
    }

    @Test("One that is too full is used, and a larger one asked for")
    func overfull() async throws {
        var conditions = StoreConditions()
        conditions.smallestWatchFilter = 2
        do {
            let store = try Store(path: path, network: .mainnet, conditions: conditions)
            for number in 1...30 { try await register(number, in: store) }
            try await store.registry.keepWatchedScripts()
        }
        let store = try await open()
        #expect(Self.mayContain(store.registry.watchedScripts, 1...30))
        var requests = store.registry.watchedScriptRequests.makeAsyncIterator()
        await requests.next()
        #expect(try await store.registry.fillWatchedScripts() == 30)
    }
}
