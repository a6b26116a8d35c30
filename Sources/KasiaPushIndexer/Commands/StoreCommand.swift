import ArgumentParser
import Foundation
import Kaspa
import PostgresStore
import Store

/// `kasia-push-indexer store copy`: moves a store to another engine.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Copy a store from RocksDB to PostgreSQL, or back.", subcommands: [Copy.self])

    /// `store copy`: copies all rows into an empty store.
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy all rows of a store into an empty one. Stop the service first.",
            discussion: """
                A postgresql:// URL is a PostgreSQL database, everything else a RocksDB directory; both ways are \
                possible, and the source stays as it is. Both stores are checked at the end. When the command was \
                interrupted, run it again: it goes on where it was. Until the copy is complete the service refuses to \
                start with it. Then set store.url or store.path to the copy and start the service; never start it \
                with both, as each would push what the other pushes. Run by root, the command gives a new directory to \
                the owner of its folder.
                """)

        /// How often a line of progress is written within one family.
        private static let pause = Duration.seconds(2)

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .long, help: "The store to copy: a directory, or a postgresql:// URL without a password.")
        var from: String

        @Option(name: .long, help: "The empty store to fill: a directory, or a postgresql:// URL without a password.")
        var to: String

        @Option(name: .long, help: "A file whose first line is the password for PostgreSQL.")
        var passwordFile: String?

        @Option(name: .long, help: "The store's network. Without it, network.type of the configuration.")
        var network: String?

        func validate() throws {
            for (name, text) in [("--from", from), ("--to", to)] {
                guard !text.isEmpty else { throw ValidationError("\(name) must not be empty") }
                guard case .database = StoreLocation(text) else { continue }
                if let complaint = PostgresStore.Location.complaint(about: text) {
                    throw ValidationError("\(name): \(complaint)")
                }
            }
            if let network, Network(network) == nil {
                throw ValidationError("--network must be mainnet, testnet-N, devnet or simnet")
            }
        }

        func run() async throws {
            let (network, limits) = try settings()
            let (source, target) = (
                StoreLocation(from, passwordFile: passwordFile), StoreLocation(to, passwordFile: passwordFile)
            )
            var directory: String?
            if case .directory(let path) = target { directory = path }
            // Before the directory is made.
            let owner = directory.flatMap { FileOwner.ofStore(at: $0) }
            defer {
                if let owner, let directory, FileManager.default.fileExists(atPath: directory) {
                    do { try owner.give(directory) } catch { StandardError.say("\(error)") }
                }
            }
            do {
                let check = try await source.copy(to: target, network: network, limits: limits, progress())
                for family in ColumnFamily.allCases {
                    print("\(family.rawValue): \(Counted(check.rows[family] ?? 0, "row"))")
                }
                let rows = check.rows.values.reduce(0, +)
                print("\(target): \(Counted(rows, "row")) of \(source), the same on both.")
            } catch let error as StoreError {
                StandardError.say("\(source) to \(target): \(error)")
                throw ExitCode.failure
            }
        }

        /// With `--network` no configuration is read.
        private func settings() throws -> (network: Network, limits: StoreLimits) {
            if let network = network.flatMap({ Network($0) }) { return (network, StoreLimits()) }
            let configuration = try options.load()
            return (configuration.network.type, configuration.store.limits)
        }

        /// Says every family once, and a long one every two seconds.
        private func progress() -> (ColumnFamily, UInt64) -> Void {
            var last: (family: ColumnFamily, time: ContinuousClock.Instant)?
            return { family, rows in
                if let last, last.family == family, ContinuousClock.now - last.time < Copy.pause { return }
                last = (family, .now)
                StandardError.say("\(family.rawValue): \(Counted(rows, "row")) copied")
            }
        }
    }
}
