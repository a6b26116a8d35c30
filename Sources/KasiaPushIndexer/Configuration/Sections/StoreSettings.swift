/// The section `store`.
struct StoreSettings: Sendable, Equatable {
    /// The RocksDB directory, created if it is missing.
    var path = "./data"
    /// With less free space on its disk nothing new is taken in: 0 (off) to 1024 TiB, bytes.
    var minFreeSpace: UInt64 = 256 << 20

    mutating func update(from reader: inout SettingsReader) {
        reader.update(&path, from: .storePath, as: .path)
        reader.update(&minFreeSpace, from: .storeMinFreeSpace, as: .byteCount(in: 0...(1 << 50)))
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [(.storePath, path), (.storeMinFreeSpace, ByteCountText.format(minFreeSpace))]
    }
}
