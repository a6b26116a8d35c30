import ArgumentParser
import Foundation
import Store

/// Opens the configured store for a command that looks at it, or changes it, and ends.
struct MaintenanceStore: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    /// Opens the store and runs `body` on it; a store error ends the program with one line.
    ///
    /// A reading command may run beside the service and sees what was written before it began. A changing one cannot:
    /// the store says that another process has it.
    func open(
        readOnly: Bool, _ body: (Store, IndexerConfiguration) async throws -> Void
    ) async throws {
        let configuration = try options.load()
        do {
            let store = try Store(
                path: configuration.store.path, network: configuration.network.type, readOnly: readOnly)
            try await body(store, configuration)
        } catch let error as StoreError {
            let hint = error.code == .locked ? " Stop the service first: this command changes the store." : ""
            FileHandle.standardError.write(Data("store.path \(configuration.store.path): \(error).\(hint)\n".utf8))
            throw ExitCode.failure
        }
    }
}

extension UInt64 {
    /// Milliseconds since 1970 as people read them, UTC to the second.
    var readableTime: String {
        Date(timeIntervalSince1970: Double(self) / 1000).ISO8601Format()
    }
}
