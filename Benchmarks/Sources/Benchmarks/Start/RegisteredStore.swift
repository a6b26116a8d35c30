import Kaspa
import Store

/// A store with many registrations, of twenty addresses each, five of them watched for funds.
enum RegisteredStore {
    private static let fundsPerDevice = 5
    /// Devices written before the log is synced.
    private static let stretch = 10_000

    /// Fills the store as the registry does; the time it took.
    static func fill(_ path: String, devices: Int) async throws -> Double {
        let population = WatchPopulation(deviceCount: devices)
        let store = try Store(path: path, network: .mainnet)
        return try await Measure.seconds {
            for index in 0..<devices {
                var device = population.device(index)
                device.watchOnlyAddresses = Array(device.watchedAddresses.suffix(fundsPerDevice))
                device.watchedAddresses.removeLast(fundsPerDevice)
                let record = device
                try await store.registry.upsertDevice(record.id) { _ in record }
                guard (index + 1).isMultiple(of: stretch) else { continue }
                try await store.sync()
                if (index + 1).isMultiple(of: stretch * 10) { Terminal.progress("\(index + 1) devices …") }
            }
            try await store.sync()
        }
    }
}
