import Kaspa

/// Rows of the registry.
extension StoreWalk {
    mutating func lookAtDevice(_ row: Row) throws(StoreError) {
        let device = try DeviceRecord(encoded: Array(row.value), network: network)
        check.require(device.id.bytes.elementsEqual(row.key), "\(device) stands under another device's key")
        let isOwn = shards.owns(device.id)
        check.require(try has(.deviceStates, device.id.bytes) == isOwn, "\(device) has no state, or one too many")
        // The rest is of the registry, which is shard 0's.
        guard shards.own == 0 else { return check.require(isOwn, "\(device) is another shard's") }
        for key in Set(device.watchKeys) {
            watchEntries += 1
            check.require(
                try has(.watchers, reading.watchIndexKey(key) + device.id.bytes),
                "\(device) is missing in the watch index")
        }
        guard let wallet = device.walletAddress else { return }
        check.require(
            try has(.walletDevices, wallet.storageKey + device.id.bytes), "\(device) is missing among its wallet's")
    }

    mutating func lookAtWatcher(_ row: Row) throws(StoreError) {
        let id = try WatchKey.device(ofKey: row.key, after: reading.watchIndexKey(.inbox([])).count)
        let device = try reading.device(id, network: network)
        let subject = Array(row.key.dropLast(DeviceID.byteCount))
        let isWatched = device?.watchKeys.contains { reading.watchIndexKey($0) == subject }
        check.require(isWatched == true, "the watch index names device \(id), which does not watch this")
    }

    mutating func lookAtWalletDevice(_ row: Row) throws(StoreError) {
        check.require(
            try has(.devices, Array(row.key.suffix(DeviceID.byteCount))), "a wallet's device that is not registered")
    }

    mutating func lookAtReleasedBinding(_ row: Row) throws(StoreError) {
        let key = Array(row.key)
        if let device = ReleasedBinding.device(ofTimeKey: key) {
            let binding = try reading.releasedBinding(of: device, network: network)
            let isRight = binding.map { ReleasedBinding.timeKey($0.releasedAt, device) == key }
            check.require(isRight == true, "the time of a released binding of device \(device), which is not there")
        } else {
            let device = DeviceID(bytes: Array(key.dropFirst()))
            let binding = try ReleasedBinding(encoded: Array(row.value), network: network)
            check.require(
                try has(.releasedBindings, ReleasedBinding.timeKey(binding.releasedAt, device)),
                "the released binding of device \(device) has lost its time")
        }
    }
}
