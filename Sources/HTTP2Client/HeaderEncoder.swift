/// The HPACK encoder (RFC 7541) of one connection's requests.
///
/// nghttp2's own never indexes `authorization`, which costs some 200 bytes a request. Here shared fields are indexed,
/// and their encoding is kept; a request's own fields are literals, of which only the names are indexed. Strings are not
/// Huffman-coded: that would make hex a third shorter, and is left out to save both sides the work.
struct HeaderEncoder {
    /// The largest dynamic table that is used, in HPACK's count: RFC 7541's default.
    static let maximumTableSize = 4_096

    /// Those of the static table that requests of ours use.
    private static func staticIndex(of name: String) -> Int? {
        switch name {
        case ":path": 4
        case "content-length": 28
        case ":authority": 1
        case "authorization": 23
        case "content-encoding": 26
        case "content-type": 31
        case "user-agent": 58
        default: nil
        }
    }
    private static let staticFields: [HeaderField: Int] = [HeaderField(":scheme", "https"): 7]
    /// The static table's entries of `:method`.
    private static func staticIndex(of method: HTTPRequest.Method) -> Int {
        switch method {
        case .get: 2
        case .post: 3
        }
    }
    private static let staticCount = 61

    /// What every request begins with, beside its path and its method.
    private let pseudoFields: [HeaderField]
    /// The dynamic table, oldest entry first.
    private var table: [HeaderField] = []
    private(set) var tableSize = 0
    private var tableLimit = maximumTableSize
    /// The smallest limit since the last block, if it has changed: the decoder has to be told that one and the present.
    private var smallestNewLimit: Int?
    /// The encoding of the shared fields last used; valid while the table stays as it is.
    private var kept: (shared: SharedFields, block: [UInt8])?

    /// `authority` is the server's.
    init(authority: String) {
        pseudoFields = [HeaderField(":scheme", "https"), HeaderField(":authority", authority)]
    }

    /// Entries of the dynamic table.
    var tableCount: Int { table.count }

    /// The server's SETTINGS_HEADER_TABLE_SIZE changed.
    mutating func limitTable(to bytes: Int) {
        let limit = min(bytes, Self.maximumTableSize)
        guard limit != tableLimit else { return }
        tableLimit = limit
        smallestNewLimit = min(smallestNewLimit ?? limit, limit)
        evict(toFit: 0)
    }

    /// Appends the header block of a request.
    mutating func encode(_ request: HTTPRequest, _ shared: SharedFields, into block: inout [UInt8]) {
        announceLimit(in: &block)
        encode(ownField: ":path", request.path, into: &block)
        Self.append(Self.staticIndex(of: request.method), prefix: 7, 0x80, to: &block)
        encode(shared, into: &block)
        for field in request.fields { encode(ownField: field.name, field.value, into: &block) }
        guard request.method == .post else { return }
        encode(ownField: "content-length", String(request.body.count), into: &block)
    }

    private mutating func announceLimit(in block: inout [UInt8]) {
        guard let smallest = smallestNewLimit else { return }
        smallestNewLimit = nil
        if smallest < tableLimit { Self.append(smallest, prefix: 5, 0x20, to: &block) }
        Self.append(tableLimit, prefix: 5, 0x20, to: &block)
    }

    private mutating func encode(_ shared: SharedFields, into block: inout [UInt8]) {
        if let kept, kept.shared === shared {
            block += kept.block
            return
        }
        let start = block.count
        var isStable = true
        for field in pseudoFields + shared.fields {
            if let index = Self.staticFields[field] ?? dynamicIndex(where: { $0 == field }) {
                Self.append(index, prefix: 7, 0x80, to: &block)
            } else {
                isStable = false
                encodeAndInsert(field, into: &block)
            }
        }
        if isStable { kept = (shared, Array(block[start...])) }
    }

    /// A literal; its name is indexed, if need be by an entry made for it.
    private mutating func encode(ownField name: String, _ value: String, into block: inout [UInt8]) {
        if let index = nameIndex(of: name) {
            Self.append(index, prefix: 4, 0x00, to: &block)
            Self.append(value, to: &block)
        } else {
            encodeAndInsert(HeaderField(name, value), into: &block)
        }
    }

    private mutating func encodeAndInsert(_ field: HeaderField, into block: inout [UInt8]) {
        if let index = nameIndex(of: field.name) {
            Self.append(index, prefix: 6, 0x40, to: &block)
        } else {
            block.append(0x40)
            Self.append(field.name, to: &block)
        }
        Self.append(field.value, to: &block)
        let size = Self.size(of: field)
        evict(toFit: size)
        guard size <= tableLimit else { return }
        table.append(field)
        tableSize += size
        kept = nil
    }

    private mutating func evict(toFit size: Int) {
        var count = 0
        while count < table.count, tableSize + size > tableLimit {
            tableSize -= Self.size(of: table[count])
            count += 1
        }
        guard count > 0 else { return }
        table.removeFirst(count)
        kept = nil
    }

    private func nameIndex(of name: String) -> Int? {
        Self.staticIndex(of: name) ?? dynamicIndex { $0.name == name }
    }

    private func dynamicIndex(where isMeant: (HeaderField) -> Bool) -> Int? {
        table.lastIndex(where: isMeant).map { Self.staticCount + table.count - $0 }
    }

    private static func size(of field: HeaderField) -> Int { field.name.utf8.count + field.value.utf8.count + 32 }

    /// RFC 7541, section 5.1: the bits above the prefix are `pattern`'s.
    private static func append(_ value: Int, prefix: Int, _ pattern: UInt8, to block: inout [UInt8]) {
        let largest = 1 << prefix - 1
        guard value >= largest else { return block.append(pattern | UInt8(value)) }
        block.append(pattern | UInt8(largest))
        var rest = value - largest
        while rest >= 128 {
            block.append(UInt8(rest & 0x7f | 0x80))
            rest >>= 7
        }
        block.append(UInt8(rest))
    }

    private static func append(_ text: String, to block: inout [UInt8]) {
        append(text.utf8.count, prefix: 7, 0x00, to: &block)
        block.append(contentsOf: text.utf8)
    }
}
