import ArgumentParser
import Foundation
import Store

/// Opens the configured store for a command.
struct MaintenanceStore: ParsableArguments {
    /// How long a command run by root waits for RocksDB to close its files before it changes their owner.
    private static let closingTime = Duration.seconds(10)

    @OptionGroup var options: ConfigurationOptions

    /// Opens the store and runs `body` on it.
    ///
    /// On a store error, prints one line and exits. A reading command may run beside the service, and sees what was
    /// written before it began. A changing one may not: the store is locked by the service. A store of an older version
    /// is refused, since the service migrates it.
    func open(
        readOnly: Bool, _ body: (Store, IndexerConfiguration) async throws -> Void
    ) async throws {
        let configuration = try options.load()
        try await MaintenanceStore.reporting(configuration) {
            if readOnly {
                try MaintenanceStore.requireStore(configuration)
                let store = try await MaintenanceStore.store(configuration, readOnly: true)
                try await body(store, configuration)
            } else {
                try await MaintenanceStore.changing(configuration, body)
            }
        }
    }

    /// Asks the running service to do something, or, if none runs, opens the store and does it here.
    ///
    /// Progress goes to the standard error. Returns the service's answer, or that of `alone`. `older` says how to
    /// handle a store of an older version here.
    func ask(
        _ request: ControlRequest, older: OlderStore = .refuse,
        otherwise alone: (Store, IndexerConfiguration) async throws -> String
    ) async throws -> String {
        let configuration = try options.load()
        return try await MaintenanceStore.reporting(configuration) {
            let outcome = try await ControlClient.send(request, storePath: configuration.store.path) {
                StandardError.say($0)
            }
            if case .done(let answer) = outcome { return answer }
            return try await MaintenanceStore.changing(configuration, older: older, alone)
        }
    }

    /// Refuses a command about RocksDB's files, before it does anything, where a server keeps the rows.
    ///
    /// Prints one line with `advice` and exits.
    func requireDirectory(orElse advice: String) async throws {
        let configuration = try options.load()
        try await MaintenanceStore.reporting(configuration) {
            try configuration.store.requireDirectory(orElse: advice)
        }
    }

    /// Opens the store for changes, runs `body`, and closes it.
    ///
    /// Files written by root then get the store's owner.
    private static func changing<Output>(
        _ configuration: IndexerConfiguration, older: OlderStore = .refuse,
        _ body: (Store, IndexerConfiguration) async throws -> Output
    ) async throws -> Output {
        let path = configuration.store.path
        // Change no owner unless there is a store.
        try requireStore(configuration)
        let owner = configuration.store.server == nil ? FileOwner.ofStore(at: path) : nil
        let (outcome, closing) = await attempt(configuration, older: older, body)
        if let owner {
            _ = await closing?.wait(atMost: closingTime)
            do {
                try owner.give(path)
            } catch {
                // The command itself has succeeded.
                StandardError.say("\(error)")
            }
        }
        return try outcome.get()
    }

    /// Releases the store at the end.
    ///
    /// `closing` is nil if it could not be opened, which may leave files, too.
    private static func attempt<Output>(
        _ configuration: IndexerConfiguration, older: OlderStore,
        _ body: (Store, IndexerConfiguration) async throws -> Output
    ) async -> (outcome: Result<Output, any Error>, closing: StoreClosing?) {
        var closing: StoreClosing?
        do {
            let store = try await store(configuration, readOnly: false, older: older)
            closing = store.closing
            return (.success(try await body(store, configuration)), closing)
        } catch {
            return (.failure(error), closing)
        }
    }

    /// Refuses a path without a store: a command must not create one for a mistyped path.
    private static func requireStore(_ configuration: IndexerConfiguration) throws(StoreError) {
        guard configuration.store.mayBePresent else {
            throw StoreError(.inputOutput, "there is no store at \(configuration.store.path)")
        }
    }

    private static func store(
        _ configuration: IndexerConfiguration, readOnly: Bool, older: OlderStore = .refuse
    ) async throws(StoreError) -> Store {
        try await configuration.store.open(
            network: configuration.network.type, limits: configuration.store.limits, readOnly: readOnly, older: older,
            creates: false)
    }

    /// Prints one line and exits on an error that the operator can correct.
    static func reporting<Result>(
        _ configuration: IndexerConfiguration, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as StoreError {
            let hint = error.code == .locked ? " Stop the service first: this command changes the store." : ""
            StandardError.say("\(configuration.store.place): \(error).\(hint)")
        } catch let error as StartError {
            StandardError.say("\(error)")
        } catch let error as CocoaError {
            StandardError.say(error.localizedDescription)
        }
        throw ExitCode.failure
    }
}

extension UInt64 {
    /// Milliseconds since 1970 as a readable time, UTC to the second.
    var readableTime: String {
        Date(timeIntervalSince1970: Double(self) / 1000).ISO8601Format()
    }
}
