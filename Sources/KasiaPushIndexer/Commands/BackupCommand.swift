import ArgumentParser
import Foundation
import Store

/// `kasia-push-indexer backup DIR`: makes a consistent copy of the store while the service runs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a consistent copy of the store into a new directory.",
        discussion: """
            A running service makes the copy itself, on a request through control.sock in the store's directory, and \
            goes on serving. The directory must be writable for the service, and be the same place for the service and \
            for this command: under the systemd unit /tmp is not, as the unit has a private one. Without a service the \
            store is opened here. On the store's own file system the copy is made of hard links and takes a moment; \
            copy it to another machine from there. A store of an older version is copied as it is. A backup holds \
            device tokens: keep it as safe as the store. It is for a store in a directory; a database server has its \
            own means.
            """)

    @OptionGroup var store: MaintenanceStore

    @Argument(help: "The directory to write; it must not exist, its parent must.")
    var directory: String

    func run() async throws {
        try await store.requireDirectory(
            orElse: "back the database up with the server's own means, such as pg_basebackup or pg_dump")
        let directory = URL(filePath: directory).standardizedFileURL.path
        let progress = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .seconds(2))
                // RocksDB, or the copy to another file system, writes under these names and renames at the end.
                let bytes = [".tmp", ".partial"].reduce(0) { $0 + Backup.bytes(in: directory + $1) }
                StandardError.say("\(ByteCount(bytes)) written")
            }
        }
        defer { progress.cancel() }
        _ = try await store.ask(.backup(directory: directory), older: .keep) { store, _ in
            try await Backup.write(store, to: directory)
            return directory
        }
        do {
            try Backup.requireVisible(directory)
        } catch {
            StandardError.say("\(error)")
            throw ExitCode.failure
        }
        print("\(directory): \(ByteCount(Backup.bytes(in: directory)))")
    }
}

/// `kasia-push-indexer restore DIR`: replaces the store by a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Copy a backup to store.path. Stop the service first.",
        discussion: """
            The backup stays as it is. A store that exists already is an error; with --replace it is moved to \
            store.path.replaced-TIME and kept. After its start the indexer reads the chain from where the backup was \
            made. What was pushed since then and is younger than push.max_age is pushed again, under the same apns-id \
            and apns-collapse-id. Devices that registered since then are missing until their apps register again. A \
            backup of an older version is restored as it is; the start migrates it. Run by root, the command gives the \
            copy to the owner of the store that was there, or of its folder.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The directory that backup wrote.")
    var directory: String

    @Flag(name: .long, help: "Move a store that is there aside, and keep it.")
    var replace = false

    func run() async throws {
        let configuration = try options.load()
        try await MaintenanceStore.reporting(configuration) {
            try configuration.store.requireDirectory(
                orElse: "restore the database with the server's own means, or fill an empty one by `store copy --from "
                    + "BACKUP --to URL`")
            let outcome = try await ControlClient.send(.ping, storePath: configuration.store.path)
            guard outcome == .notRunning else {
                throw StartError(description: "the service runs on \(configuration.store.path): stop it first")
            }
            let restore = Restore(
                backup: directory, storePath: configuration.store.path, network: configuration.network.type)
            let time = Date().ISO8601Format(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
            let result = try await restore.run(replacing: replace, now: time) { copied, all in
                StandardError.say("\(ByteCount(copied)) of \(ByteCount(all)) copied")
            }
            if let replaced = result.replaced { print("The store that was there is kept in \(replaced).") }
            print("\(configuration.store.path): \(ByteCount(result.bytes)), \(Counted.devices(result.totals.devices)).")
            if result.isOlder { print("It is of an older version: the service migrates it when it starts.") }
        }
    }
}

/// `kasia-push-indexer compact`: frees the space of deleted rows.
struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Rewrite the store's tables without what was deleted.",
        discussion: """
            RocksDB does so by itself little by little; this is for the time after much was removed. It may take \
            minutes and needs as much free space as the store has bytes. A running service does it on request.
            """)

    @OptionGroup var store: MaintenanceStore

    func run() async throws {
        try await store.requireDirectory(orElse: "the server's autovacuum frees the space of deleted rows by itself")
        let answer = try await store.ask(.compact, older: .keep) { store, _ in
            try await Compaction.run(store) { StandardError.say($0) }
        }
        print(answer)
    }
}
