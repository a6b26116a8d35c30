import ArgumentParser
import Foundation
import Store

/// `kasia-push-indexer devices`: lists, shows and removes devices.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List registrations, show one, or remove one.",
        discussion: """
            Tokens and addresses are personal data: they are shortened unless --full asks for them. show --full writes \
            everything that is registered except the VoIP token. list and show only read, and may run beside the \
            service. remove asks a running service, which first waits until no push is on its way to the device.
            """,
        subcommands: [List.self, Show.self, Remove.self])

    /// Rows that are read at a time.
    private static let page = 1_000

    /// `devices list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List registrations, sorted by device name.")

        @OptionGroup var store: MaintenanceStore

        @Option(name: .long, help: "The most devices to list.")
        var limit = 100

        @Flag(name: .long, help: "Do not shorten tokens and addresses.")
        var full = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be a positive number") }
        }

        func run() async throws {
            try await store.open(readOnly: true) { store, _ in
                print("\(Counted(try await store.totals().devices, "device is", "devices are")) registered.")
                var last: DeviceID?
                var left = limit
                while left > 0 {
                    let devices = try await store.registry.devices(after: last, limit: min(left, DevicesCommand.page))
                    for device in devices { print(DeviceText(device: device, isFull: full).line) }
                    left -= devices.count
                    guard devices.count == DevicesCommand.page, let final = devices.last else { return }
                    last = final.id
                }
            }
        }
    }

    /// The device that a command is about.
    struct Name: ParsableArguments {
        @Argument(help: ArgumentHelp(DeviceName.help))
        var device: String

        var name: DeviceName? { DeviceName(device) }

        func validate() throws {
            guard name != nil else {
                throw ValidationError("a device is named by its token, or by the 8 hex digits that lists show")
            }
        }

        func find(in store: Store) async throws -> DeviceRecord {
            guard let name else { throw StartError(description: "no such device is registered") }
            return try await name.find(in: store)
        }
    }

    /// `devices show DEVICE`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show what is known about a device.")

        @OptionGroup var store: MaintenanceStore
        @OptionGroup var name: Name

        @Flag(name: .long, help: "Write everything that is registered; do not shorten tokens and addresses.")
        var full = false

        func run() async throws {
            try await store.open(readOnly: true) { store, _ in
                let device = try await name.find(in: store)
                let lines = DeviceText(device: device, isFull: full).lines(
                    state: try await store.outbox(of: device.id).deviceState(device.id),
                    waiting: try await store.outbox(of: device.id).deliveries(of: device.id, limit: DevicesCommand.page)
                        .count)
                for line in lines { print(line) }
            }
        }
    }

    /// `devices remove DEVICE`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a device with all its rows, as its own unregister would.",
            discussion: "Its app may register it again. A wallet that is bound to it is not asked.")

        @OptionGroup var store: MaintenanceStore
        @OptionGroup var name: Name

        func run() async throws {
            var token: [UInt8] = []
            try await store.open(readOnly: true) { store, _ in token = try await name.find(in: store).token }
            let id = DeviceID(token: token)
            let answer = try await store.ask(.remove(token: token)) { store, _ in
                let wasRegistered = try await store.registry.removeDevice(id) != nil
                try await store.sync()
                return wasRegistered ? "removed" : "not registered"
            }
            print("device \(id): \(answer)")
        }
    }
}
