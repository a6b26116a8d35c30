import Crypto

/// How far a copy has filled a store: a row in `meta` that is there until the copy is whole.
struct CopyProgress: Equatable, Sendable {
    /// What the source held; 32 bytes.
    var source: [UInt8]
    /// The family whose rows are being copied; those before it are.
    var family: ColumnFamily
    /// The last of its rows that is there; nil before the first.
    var lastKey: [UInt8]?
    /// How many of them are there.
    var rows: UInt64 = 0

    /// The families in the order of a copy.
    ///
    /// Those in `watchers` are made from the registrations, as engines have other keys there. `meta` is the last: it
    /// says how far the chain has been read.
    static let order = ColumnFamily.allCases.filter { $0 != .meta && $0 != .watchers } + [.meta]

    /// At the beginning.
    init(source: [UInt8]) {
        self.source = source
        family = CopyProgress.order[0]
    }

    /// Begins with another family, unless this one is under way.
    mutating func begin(_ family: ColumnFamily) {
        guard family != self.family else { return }
        self.family = family
        lastKey = nil
        rows = 0
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.write(fixed: source)
        writer.write(text: family.rawValue)
        writer.write(optional: lastKey) { $0.write(variable: $1) }
        writer.write(rows)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        source = Array(try reader.read(count: SHA256.byteCount))
        guard let family = ColumnFamily(rawValue: try reader.readText()), CopyProgress.order.contains(family) else {
            throw ByteReader.corrupt("copy_progress")
        }
        self.family = family
        lastKey = try reader.readOptional { (reader) throws(StoreError) in try reader.readVariable() }
        rows = try reader.readUInt64()
        try reader.finish()
    }
}

extension MetaKey {
    /// `CopyProgress`: there while the store is being filled from another one.
    package static let copyProgress = Array("copy_progress".utf8)
}

extension StoreError {
    /// Why a store that is partly filled is not opened.
    package static let partlyCopied = StoreError(
        .unsupported,
        "the store is partly filled by `store copy`: run the same copy again, which continues it, or remove what is "
            + "there")
}
