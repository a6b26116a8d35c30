import Foundation
import Store

/// Checks whether the store can be opened, who owns it, and who can read it; and the server that it is on.
struct StoreOpenCheck: Sendable {
    let configuration: IndexerConfiguration

    func findings() async -> [Finding] {
        guard let server = configuration.store.server else { return await store() }
        let database = await DatabaseCheck(server: server, shards: configuration.store.shards).findings()
        guard database.first?.level != .fail else { return database }
        return database + (await store()) + folder()
    }

    private func store() async -> [Finding] {
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
            ] + (settings.server == nil ? permissions(of: path) : [])
        } catch {
            if error.code == .locked, await isServed() {
                return [Finding(.ok, "store", "\(path): the running service holds it")]
            }
            if settings.server != nil, error.code == .inputOutput {
                return [Finding(.ok, "store", "\(path) has no store yet; the first start makes it")]
            }
            // The service migrates a directory, and only that.
            let isOnServer = settings.server != nil
            return [
                Finding(
                    error.code == .olderSchema && !isOnServer ? .warn : .fail, "store", "\(path): \(error)",
                    todo: StoreOpenCheck.advice(for: error, isOnServer: isOnServer))
            ]
        }
    }

    /// The folder of the service's own small files, where a server keeps the rows.
    private func folder() -> [Finding] {
        let path = configuration.store.path
        return FileManager.default.fileExists(atPath: path)
            ? permissions(of: path) : [missing(path, subject: "store.path")]
    }

    private func isServed() async -> Bool {
        let outcome = try? await ControlClient.send(.ping, storePath: configuration.store.path)
        return outcome != nil && outcome != .notRunning
    }

    private func missing(_ path: String, subject: String = "store") -> Finding {
        let parent = FileSpace.nearestDirectory(of: path)
        return FileManager.default.isWritableFile(atPath: parent)
            ? Finding(.ok, subject, "\(path) is not there yet; the first start makes it")
            : Finding(
                .fail, subject, "\(path) is not there, and \(parent) cannot be written",
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

    static func advice(for error: StoreError, isOnServer: Bool) -> String {
        switch error.code {
        case .locked: "stop the other process, or choose another place (store.path, store.url)"
        case .inputOutput: "check the directory's owner and the disk; run this as the service's user"
        case .lowSpace: "free space on the store's disk, or set store.min_free_space lower"
        case .stopped: "free space on the store's disk, or make it writable, then restart the service"
        case .corrupt: "run check; restore a backup if check --repair does not help"
        case .newerSchema: "run the newer program"
        case .olderSchema where isOnServer:
            "run the program that wrote it; its `store copy` makes a directory, which this program's service migrates"
        case .olderSchema: "make a backup, then start the service: it migrates the store"
        case .otherNetwork: "correct network.type, or choose another place (store.path, store.url)"
        case .unavailable: "start the database server, or correct where it is looked for"
        case .unsupported, .unfinished: "do what the message says"
        case .engine: "look at the message; `check` reads every row"
        }
    }
}
