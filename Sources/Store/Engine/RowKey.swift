import Kaspa

/// A row's key in a table of this process, hashed as one run of bytes; an array hashes them one by one.
struct RowKey: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The key in `operations` of what a row in `events` or `deliveries` is about: both begin with it.
    init(operationOf row: [UInt8]) { self.init(Array(row.prefix(Hash.byteCount))) }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
