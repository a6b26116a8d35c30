/// The four fields of a block's header that the indexer needs; nil where they are left out.
struct WireHeader {
    /// The message type of the header, and the numbers of its fields.
    struct Layout {
        let message: WireMessage
        let hash: UInt32
        let timestamp: UInt32
        let daaScore: UInt32
        let blueScore: UInt32

        static let ofBlock = Layout(message: .header, hash: 15, timestamp: 6, daaScore: 9, blueScore: 13)
        static let ofVirtualChain = Layout(
            message: .optionalHeader, hash: 2, timestamp: 8, daaScore: 11, blueScore: 13)
    }

    private(set) var hash: String?
    private(set) var timestamp: Int64?
    private(set) var daaScore: UInt64?
    private(set) var blueScore: UInt64?

    /// Reads a header, or a further part of one that is sent in several parts.
    ///
    /// The last value of a field counts.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ layout: Layout, depth: Int, _ walk: inout WireWalk
    ) throws(WireError) {
        var reader = WireReader(bytes, depth: depth)
        let strings = layout.message.strings
        while let tag = try reader.nextTag() {
            switch tag {
            case layout.hash << 3 | WireReader.WireType.lengthDelimited:
                hash = try WireText.string(try reader.bytes())
            case layout.timestamp << 3: timestamp = Int64(bitPattern: try reader.varint())
            case layout.daaScore << 3: daaScore = try reader.varint()
            case layout.blueScore << 3: blueScore = try reader.varint()
            default: try walk.passOver(tag, in: &reader, of: layout.message, strings)
            }
        }
    }
}
