import KasiaProtocol
import Kaspa

extension WriteTransaction {
    /// Version 3 keeps the counter of a device key with the registration, which has more members than before, and finds
    /// registrations by the inbox tag of their primary address.
    func bringDeviceToVersionThree(_ key: [UInt8], _ value: [UInt8], network: Network) throws(StoreError) {
        // A row of this version's, seen again.
        guard value.first != DeviceRecord.layout else { return }
        var device = try DeviceRecord(versionTwo: value, network: network)
        if let keyID = device.deviceKey?.keyID, let known = try oldRow(.deviceKeys, keyID) {
            var reader = ByteReader(known)
            // One that cannot be read begins anew: replays are shut by the nonce.
            device.deviceKey?.counter = (try? reader.readUInt64()) ?? 0
        }
        put(.devices, key, device.encoded)
        guard let tag = device.primaryAddress?.inboxTag else { return }
        put(.watchers, WatchKey.inbox(tag).bytes + device.id.bytes, [])
        try adjust(.watchEntries, by: 1)
    }
}

extension WriteTransaction {
    /// Version 3 lists a broadcast under its channel's name as names are compared, too.
    func bringBroadcastToVersionThree(_ key: [UInt8], _ value: [UInt8], network: Network) throws(StoreError) {
        guard value.first == OperationKind.broadcast.rawValue else { return }
        guard let id = Hash(bytes: key) else { throw ByteReader.corrupt("operations") }
        let operation = try OperationRecord(transactionID: id, ofAnyVersion: value, network: network)
        guard operation.acceptance != nil || operation.isReverted else { return }
        for list in operation.lists {
            if case .broadcasts = list { put(.operationLists, list.prefix + operation.position.bytes, []) }
        }
    }
}

extension DeviceRecord {
    /// Reads a row of schema versions 1 and 2; its device key has the counter 0.
    init(versionTwo encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        let token = try reader.readVariable()
        guard let platform = Platform(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("platform") }
        self.init(
            token: token, platform: platform, createdAt: try reader.readUInt64(), lastSeen: try reader.readUInt64(),
            primaryAddress: try reader.readAddress(on: network), walletAddress: try reader.readAddress(on: network),
            deviceKey: try reader.readOptional { (reader) throws(StoreError) in
                DeviceKeyUse(keyID: Array(try reader.read(count: DeviceKeyUse.idByteCount)), counter: 0)
            },
            watchedAddresses: try reader.readAddresses(on: network),
            aliases: try reader.readList { (reader) throws(StoreError) in try reader.readVariable() },
            watchedGroupIDs: try reader.readList { (reader) throws(StoreError) in try reader.readVariable() },
            capabilities: try reader.readList { (reader) throws(StoreError) in try reader.readText() })
        // A list of watch-only addresses follows if the highest bit says so.
        let flags = try reader.readUInt8()
        payloadFormat = try DeviceTarget.format(flags & 0x7f)
        if flags & 0x80 != 0 { watchOnlyAddresses = try reader.readAddresses(on: network) }
        try reader.finish()
    }
}

extension WriteTransaction {
    /// A row of a family that is gone; only RocksDB has had older versions.
    private func oldRow(_ family: DroppedFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        try (base as? Database)?.get(family, key)
    }
}
