import Kaspa

/// Rows of the registry.
extension IndexRepair {
    func restoreIndexes(of device: DeviceRecord, _ writer: inout RepairWriter) throws(StoreError) {
        let id = device.id
        for key in device.watchKeys {
            try writer.add(.watchers, writer.transaction.watchIndexKey(key) + id.bytes)
        }
        if let wallet = device.walletAddress { try writer.add(.walletDevices, wallet.storageKey + id.bytes) }
        try restorePlace(of: id, &writer)
        try restoreLogTimes(of: id, &writer)
    }

    private func device(_ id: [UInt8], _ writer: RepairWriter) throws(StoreError) -> DeviceRecord? {
        try writer.transaction.device(DeviceID(bytes: id), network: network)
    }

    func lookAtWatcher(_ key: [UInt8], _ writer: inout RepairWriter) throws(StoreError) {
        let prefixBytes = writer.transaction.watchIndexKey(.inbox([])).count
        // One that is in no list by address cannot be deleted either; `check` tells of it.
        guard key.count >= prefixBytes else { return }
        let subject = Array(key.prefix(prefixBytes))
        let device = try device(Array(key.dropFirst(prefixBytes)), writer)
        let isWatched = device?.watchKeys.contains { writer.transaction.watchIndexKey($0) == subject } ?? false
        if !isWatched || key.count != prefixBytes + DeviceID.byteCount { writer.delete(.watchers, key) }
    }

    func lookAtWalletDevice(_ key: [UInt8], _ writer: inout RepairWriter) throws(StoreError) {
        let wallet = try device(Array(key.suffix(DeviceID.byteCount)), writer)?.walletAddress?.storageKey
        if wallet != Array(key.dropLast(DeviceID.byteCount)) { writer.delete(.walletDevices, key) }
    }

    func lookAtReleasedBinding(
        _ key: [UInt8], _ value: [UInt8], _ writer: inout RepairWriter
    ) throws(StoreError) {
        if let device = ReleasedBinding.device(ofTimeKey: key) {
            let binding = try writer.transaction.releasedBinding(of: device, network: network)
            let isRight = binding.map { ReleasedBinding.timeKey($0.releasedAt, device) == key }
            if isRight != true { writer.delete(.releasedBindings, key) }
        } else {
            let binding = try ReleasedBinding(encoded: value, network: network)
            let device = DeviceID(bytes: Array(key.dropFirst()))
            try writer.add(.releasedBindings, ReleasedBinding.timeKey(binding.releasedAt, device))
        }
    }
}
