import CRocksDB

/// A column family that older versions had: it is read while a store is migrated, and dropped after that.
enum DroppedFamily: String, CaseIterable {
    /// Up to schema version 2: a device key's last counter in 8 bytes, then what else was known of it, under its id.
    case deviceKeys = "device_keys"
    /// Up to schema version 2: keys without a device.
    case retiredDeviceKeys = "retired_device_keys"
}

extension Database {
    /// A row of a family that is gone, or will be after the migration; nil too when there is no such family.
    func get(_ family: DroppedFamily, _ key: [UInt8]) throws(StoreError) -> [UInt8]? {
        guard let handle = dropped[family] else { return nil }
        return try get(handle, family.rawValue, key)
    }

    /// Gives up the families of older versions with all their rows.
    func dropOldFamilies() throws(StoreError) {
        for family in DroppedFamily.allCases {
            guard let familyHandle = dropped[family] else { continue }
            try checked("drop the column family \(family.rawValue)") {
                rocksdb_drop_column_family(handle, familyHandle, $0)
            }
        }
    }
}
