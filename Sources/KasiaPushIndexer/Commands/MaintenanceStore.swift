import ArgumentParser
import Foundation
import Store

/// Opens the configured store for a command that looks at it, or changes it, and ends.
struct MaintenanceStore: ParsableArguments {
    /// How long root's command waits for RocksDB to close its files before it gives them away.
    private static let closingTime = Duration.seconds(10)

    @OptionGroup var options: ConfigurationOptions

    /// Opens the store and runs `body` on it; a store error ends the program with one line.
    ///
    /// A reading command may run beside the service and sees what was written before it began. A changing one cannot:
    /// the store says that another process has it. A store of an older version is refused: the service migrates it.
    func open(
        readOnly: Bool, _ body: (Store, IndexerConfiguration) async throws -> Void
    ) async throws {
        let configuration = try options.load()
        try await MaintenanceStore.reporting(configuration) {
            if readOnly {
                try MaintenanceStore.requireStore(configuration)
                let store = try MaintenanceStore.store(configuration, readOnly: true)
                try await body(store, configuration)
            } else {
                try await MaintenanceStore.changing(configuration, body)
            }
        }
    }

    /// Has the running service do it, or, where none runs, opens the store and does it here.
    ///
    /// Progress goes to the standard error; returns the service's answer, or what `alone` returns. `older` says what
    /// happens here to a store of an older version.
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

    /// Opens the store for changes, runs `body`, and closes it; what root wrote is then given to whom the store belongs.
    private static func changing<Output>(
        _ configuration: IndexerConfiguration, older: OlderStore = .refuse,
        _ body: (Store, IndexerConfiguration) async throws -> Output
    ) async throws -> Output {
        let path = configuration.store.path
        // Nothing is given away that is no store.
        try requireStore(configuration)
        let owner = FileOwner.ofStore(at: path)
        let (outcome, closing) = await attempt(configuration, older: older, body)
        if let owner {
            _ = await closing?.wait(atMost: closingTime)
            do {
                try owner.give(path)
            } catch {
                // What the command did is done all the same.
                StandardError.say("\(error)")
            }
        }
        return try outcome.get()
    }

    /// The store is let go of at the end; `closing` is nil if it could not be opened, which may leave files, too.
    private static func attempt<Output>(
        _ configuration: IndexerConfiguration, older: OlderStore,
        _ body: (Store, IndexerConfiguration) async throws -> Output
    ) async -> (outcome: Result<Output, any Error>, closing: StoreClosing?) {
        var closing: StoreClosing?
        do {
            let store = try store(configuration, readOnly: false, older: older)
            closing = store.closing
            return (.success(try await body(store, configuration)), closing)
        } catch {
            return (.failure(error), closing)
        }
    }

    /// A command makes no store: a mistyped path must not look like an empty one.
    private static func requireStore(_ configuration: IndexerConfiguration) throws(StoreError) {
        let path = configuration.store.path
        guard StoreFiles.arePresent(in: path) else {
            throw StoreError(.inputOutput, "there is no store at \(path)")
        }
    }

    private static func store(
        _ configuration: IndexerConfiguration, readOnly: Bool, older: OlderStore = .refuse
    ) throws(StoreError) -> Store {
        try Store(
            path: configuration.store.path, network: configuration.network.type, limits: configuration.store.limits,
            readOnly: readOnly, older: older)
    }

    /// Ends the program with one line for what the operator can do something about.
    static func reporting<Result>(
        _ configuration: IndexerConfiguration, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as StoreError {
            let hint = error.code == .locked ? " Stop the service first: this command changes the store." : ""
            StandardError.say("store.path \(configuration.store.path): \(error).\(hint)")
        } catch let error as StartError {
            StandardError.say("\(error)")
        } catch let error as CocoaError {
            StandardError.say(error.localizedDescription)
        }
        throw ExitCode.failure
    }
}

extension UInt64 {
    /// Milliseconds since 1970 as people read them, UTC to the second.
    var readableTime: String {
        Date(timeIntervalSince1970: Double(self) / 1000).ISO8601Format()
    }
}
