import Kaspa

/// Checks messages that are not needed as swift-protobuf would, without building them.
///
/// Meanwhile it finds out whether a transaction is needed after all.
struct WireWalk {
    private let filter: any ScriptFilter
    /// Whether scripts must be checked at all, asked once.
    private let isWatching: Bool

    /// The last script that was checked.
    ///
    /// An input and an output hold one each. Of a field that is sent more than once, the last counts.
    private var script = UnsafeRawBufferPointer(start: nil, count: 0)

    init(filter: any ScriptFilter) {
        self.filter = filter
        isWatching = !filter.isEmpty
    }

    /// Checks a message.
    ///
    /// The recursion is as deep as `WireMessage`, far less than `WireReader.maximumDepth`.
    mutating func check(
        _ bytes: UnsafeRawBufferPointer, as message: WireMessage, depth: Int
    ) throws(WireError) {
        var reader = WireReader(bytes, depth: depth)
        let strings = message.strings
        while let tag = try reader.nextTag() {
            try passOver(tag, in: &reader, of: message, strings)
        }
    }

    /// Checks the value that follows a tag.
    @inline(__always)
    mutating func passOver(
        _ tag: UInt32, in reader: inout WireReader, of message: WireMessage, _ strings: UInt32
    ) throws(WireError) {
        guard tag & 7 == WireReader.WireType.lengthDelimited else { return try reader.passOver(tag) }
        let field = tag >> 3
        let value = try reader.bytes()
        if field < 32, strings & 1 << field != 0 {
            guard WireText.isValid(value) else { throw .invalidUTF8 }
            if message == .script { script = value }
        } else if let inner = message.message(in: field) {
            try check(value, as: inner, depth: reader.depth + 1)
        }
    }

    /// Checks a transaction.
    ///
    /// Returns whether its payload is ours or it touches a script that may be watched.
    mutating func isNeeded(
        _ bytes: UnsafeRawBufferPointer, as message: WireMessage, _ fields: TransactionFields, depth: Int
    ) throws(WireError) -> Bool {
        var reader = WireReader(bytes, depth: depth)
        let strings = message.strings
        var payload = UnsafeRawBufferPointer(start: nil, count: 0)
        var touchesWatched = false
        while let tag = try reader.nextTag() {
            switch tag {
            case fields.payload:
                payload = try reader.bytes()
                guard WireText.isValid(payload) else { throw .invalidUTF8 }
            case fields.input, fields.output:
                script = UnsafeRawBufferPointer(start: nil, count: 0)
                try passOver(tag, in: &reader, of: message, strings)
                if isWatching, !touchesWatched { touchesWatched = WireText.isWatched(script, filter) }
            default:
                try passOver(tag, in: &reader, of: message, strings)
            }
        }
        return touchesWatched || WireText.isOurs(payload)
    }
}

/// The tags of the fields that decide whether a transaction is needed.
struct TransactionFields {
    let input: UInt32
    let output: UInt32
    let payload: UInt32

    static let ofBlock = TransactionFields(input: 2 << 3 | 2, output: 3 << 3 | 2, payload: 8 << 3 | 2)
    static let ofVirtualChain = TransactionFields(input: 3 << 3 | 2, output: 4 << 3 | 2, payload: 8 << 3 | 2)
}
