import Kaspa
import Store

/// Devices with twenty addresses each: fourteen that nobody else watches, six that three devices share.
struct WatchPopulation {
    private static let ownAddresses = 14
    private static let sharedAddresses = 6
    private static let sharers = 3
    static let addressesPerDevice = ownAddresses + sharedAddresses

    let deviceCount: Int

    /// The token of device `index`.
    static func token(_ index: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(index) | 1 << 40)
        return random.bytes(32)
    }

    func device(_ index: Int) -> DeviceRecord {
        let own = (0..<Self.ownAddresses).map { ownAddress(device: index, $0) }
        let shared = (0..<Self.sharedAddresses).map { sharedAddress(group: index / Self.sharers, $0) }
        return DeviceRecord(
            token: Self.token(index), platform: .ios, createdAt: 1, lastSeen: 1, watchedAddresses: own + shared)
    }

    /// A device that watches these addresses and no others.
    static func watcher(_ index: Int, of addresses: [Address]) -> DeviceRecord {
        DeviceRecord(token: token(index), platform: .ios, createdAt: 1, lastSeen: 1, watchedAddresses: addresses)
    }

    /// Addresses with exactly one watcher, drawn at random.
    func watchedOnce(_ count: Int, _ random: inout SplitMix64) -> [WatchKey] {
        (0..<count).map { _ in
            .address(
                ownAddress(
                    device: Int.random(in: 0..<deviceCount, using: &random),
                    Int.random(in: 0..<Self.ownAddresses, using: &random)))
        }
    }

    /// Addresses with exactly three watchers, drawn at random.
    func watchedThrice(_ count: Int, _ random: inout SplitMix64) -> [WatchKey] {
        (0..<count).map { _ in
            .address(
                sharedAddress(
                    group: Int.random(in: 0..<deviceCount / Self.sharers, using: &random),
                    Int.random(in: 0..<Self.sharedAddresses, using: &random)))
        }
    }

    /// Addresses that nobody watches.
    func unwatched(_ count: Int, _ random: inout SplitMix64) -> [WatchKey] {
        (0..<count).map { _ in .address(Self.address(random.next() | 1 << 63)) }
    }

    private func ownAddress(device: Int, _ slot: Int) -> Address {
        Self.address(UInt64(device * Self.ownAddresses + slot))
    }

    private func sharedAddress(group: Int, _ slot: Int) -> Address {
        Self.address(UInt64(group * Self.sharedAddresses + slot) | 1 << 62)
    }

    /// The address of a number; different numbers have different addresses.
    static func address(_ number: UInt64) -> Address {
        var random = SplitMix64(seed: number)
        guard let address = Address(prefix: .kaspa, version: .schnorr, payload: random.bytes(32)) else {
            preconditionFailure("a Schnorr address has 32 bytes")
        }
        return address
    }
}
