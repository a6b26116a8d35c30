/// Reads protobuf's wire format in borrowed memory, field by field, without building messages.
///
/// It accepts and refuses exactly what swift-protobuf does, down to overlong varints and groups of unknown fields.
/// Every read is checked against the end of the message. The memory must outlive the reader.
struct WireReader {
    /// How deep messages and groups can be nested, the outermost included: swift-protobuf's own limit.
    static let maximumDepth = 100

    /// How a value is encoded: the low three bits of a tag.
    enum WireType {
        static let varint: UInt32 = 0
        static let fixed64: UInt32 = 1
        static let lengthDelimited: UInt32 = 2
        static let startGroup: UInt32 = 3
        static let endGroup: UInt32 = 4
        static let fixed32: UInt32 = 5
    }

    /// The depth of this message; 1 for the outermost.
    let depth: Int

    private var position: UnsafeRawPointer
    private let end: UnsafeRawPointer

    /// Begins at the first byte of a message.
    init(_ message: UnsafeRawBufferPointer, depth: Int) {
        self.depth = depth
        // An empty buffer may have no address. Nothing is read from the one used instead.
        position = message.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        end = position + message.count
    }

    private var remaining: Int { end - position }

    /// The next field's tag (number and wire type); nil at the message's end.
    ///
    /// The value must be read or skipped before the next call.
    @inline(__always)
    mutating func nextTag() throws(WireError) -> UInt32? {
        guard position < end else { return nil }
        let first = position.load(as: UInt8.self)
        let tag: UInt32
        if first < 0x80 {
            position += 1
            tag = UInt32(first)
        } else {
            tag = try longTag()
        }
        guard tag >= 8, tag & 7 <= WireType.fixed32, tag & 7 != WireType.endGroup else { throw .malformed }
        return tag
    }

    /// A tag of two to five bytes.
    private mutating func longTag() throws(WireError) -> UInt32 {
        var tag: UInt32 = 0
        for index in 0..<min(5, remaining) {
            let byte = (position + index).load(as: UInt8.self)
            // The fifth byte holds the highest four bits and ends the tag.
            if index == 4, byte > 15 { throw .malformed }
            tag |= UInt32(byte & 0x7f) << UInt32(7 * index)
            if byte < 0x80 {
                position += index + 1
                return tag
            }
        }
        throw .malformed
    }

    /// A varint.
    ///
    /// Only the lowest bit of its tenth byte counts, and there is no eleventh.
    @inline(__always)
    mutating func varint() throws(WireError) -> UInt64 {
        guard position < end else { throw .truncated }
        let first = position.load(as: UInt8.self)
        guard first >= 0x80 else {
            position += 1
            return UInt64(first)
        }
        return try longVarint()
    }

    private mutating func longVarint() throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        let limit = min(10, remaining)
        for index in 0..<limit {
            let byte = (position + index).load(as: UInt8.self)
            value |= UInt64(byte & 0x7f) &<< UInt64(7 * index)
            if byte < 0x80 {
                position += index + 1
                return value
            }
        }
        throw limit < 10 ? .truncated : .malformed
    }

    /// The bytes of a string or of a nested message.
    @inline(__always)
    mutating func bytes() throws(WireError) -> UnsafeRawBufferPointer {
        let length = try varint()
        guard length <= UInt64(remaining) else { throw .truncated }
        let count = Int(length)
        defer { position += count }
        return UnsafeRawBufferPointer(start: position, count: count)
    }

    /// Skips the value that follows a tag.
    @inline(__always)
    mutating func passOver(_ tag: UInt32) throws(WireError) {
        try passOver(tag, depth)
    }

    private mutating func passOver(_ tag: UInt32, _ depth: Int) throws(WireError) {
        switch tag & 7 {
        case WireType.varint: _ = try varint()
        case WireType.fixed64: try advance(8)
        case WireType.lengthDelimited: _ = try bytes()
        case WireType.startGroup: try passOverGroup(tag >> 3, depth + 1)
        case WireType.fixed32: try advance(4)
        default: throw .malformed
        }
    }

    private mutating func passOverGroup(_ number: UInt32, _ depth: Int) throws(WireError) {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        while true {
            // Within groups swift-protobuf reads tags as it reads other varints.
            let tag = try varint()
            guard tag >= 8, tag < UInt64(UInt32.max), tag & 7 <= 5 else { throw .malformed }
            if UInt32(tag) & 7 == WireType.endGroup {
                guard UInt32(tag) >> 3 == number else { throw .malformed }
                return
            }
            try passOver(UInt32(tag), depth)
        }
    }

    private mutating func advance(_ count: Int) throws(WireError) {
        guard count <= remaining else { throw .truncated }
        position += count
    }
}

/// Why bytes are not a message of the node.
///
/// It is always the node's fault.
enum WireError: String, Error, Hashable {
    /// A value runs past the end of its message.
    case truncated
    /// An invalid tag, varint or end of a group.
    case malformed
    /// Messages and groups nested deeper than `WireReader.maximumDepth`.
    case tooDeep
    /// A string that is not UTF-8.
    case invalidUTF8
    /// More blocks than `VirtualChainScan.Limits` allow.
    case tooMany
}
