import Foundation
import Store

/// Checks whether the store can be opened, who owns it, and who can read it.
struct StoreOpenCheck: Sendable {
    let configuration: IndexerConfiguration

    func findings() async -> [Finding] {
        let settings = configuration.store
        let path = settings.location
        guard settings.mayBePresent else { return [missing(path)] }
        do throws(StoreError) {
            let store = try await settings.open(network: configuration.network.type, readOnly: true)
            let totals = try await store.totals()
            let isServed = await isServed()
            return [
                Finding(
                    .ok, "store",
                    "\(path) opens, \(Counted.devices(totals.devices)), "
                        + "\(Counted(totals.deliveries, "delivery waits", "deliveries wait")); "
                        + (isServed ? "the service runs" : "no service runs on it"))
            ] + permissions(of: settings.path)
        } catch {
            if error.code == .locked, await isServed() {
                return [Finding(.ok, "store", "\(path): the running service holds it")]
            }
            let isOlder = error.code == .olderSchema
            return [
                Finding(isOlder ? .warn : .fail, "store", "\(path): \(error)", todo: StoreOpenCheck.advice(for: error))
            ]
        }
    }

    private func isServed() async -> Bool {
        let outcome = try? await ControlClient.send(.ping, storePath: configuration.store.path)
        return outcome != nil && outcome != .notRunning
    }

    private func missing(_ path: String) -> Finding {
        let parent = FileSpace.nearestDirectory(of: path)
        return FileManager.default.isWritableFile(atPath: parent)
            ? Finding(.ok, "store", "\(path) is not there yet; the first start makes it")
            : Finding(
                .fail, "store", "\(path) is not there, and \(parent) cannot be written",
                todo: "make the directory, and give it to the service's user")
    }

    private func permissions(of path: String) -> [Finding] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 else { return [] }
        return [
            Finding(
                .warn, "store permissions", "\(path) can be entered by other users of this machine",
                todo: "chmod 700 \(path): it holds device tokens")
        ]
    }

    static func advice(for error: StoreError) -> String {
        switch error.code {
        case .locked: "stop the other process, or choose another store.path"
        case .inputOutput: "check the directory's owner and the disk; run this as the service's user"
        case .lowSpace: "free space on the store's disk, or set store.min_free_space lower"
        case .stopped: "free space on the store's disk, or make it writable, then restart the service"
        case .corrupt: "run check; restore a backup if check --repair does not help"
        case .newerSchema: "run the newer program"
        case .olderSchema: "make a backup, then start the service: it migrates the store"
        case .otherNetwork: "correct network.type, or choose another store.path"
        case .unavailable: "start the database server, or correct where it is looked for"
        case .unsupported: "do what the message says"
        case .engine: "look at the message; `check` reads every row"
        }
    }
}
