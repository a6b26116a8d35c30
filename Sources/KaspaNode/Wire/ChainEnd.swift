import Kaspa

/// The last block of an answer about the virtual chain, found without decoding the answer.
struct ChainEnd: Equatable {
    /// The id of the answered request.
    let requestID: UInt64
    /// The last added chain block.
    let hash: BlockHash

    /// Searches a `KaspadResponse`.
    ///
    /// The memory is needed only until this returns.
    ///
    /// nil for any other message, for one that adds no block, and for a malformed one: decoding it in full reports
    /// that.
    init?(_ response: UnsafeRawBufferPointer) {
        var requestID: UInt64 = 0
        var hash: BlockHash?
        do {
            var reader = WireReader(response, depth: 1)
            while let tag = try reader.nextTag() {
                switch tag {
                case WireScanner.idTag: requestID = try reader.varint()
                case VirtualChainScan.field << 3 | WireReader.WireType.lengthDelimited:
                    hash = try ChainEnd.lastAdded(try reader.bytes()) ?? hash
                default:
                    guard tag >> 3 < WireScanner.firstContentField else { return nil }
                    try reader.passOver(tag)
                }
            }
        } catch {
            return nil
        }
        guard let hash else { return nil }
        self.requestID = requestID
        self.hash = hash
    }

    private static func lastAdded(_ answer: UnsafeRawBufferPointer) throws(WireError) -> BlockHash? {
        var reader = WireReader(answer, depth: 2)
        var last: UnsafeRawBufferPointer?
        while let tag = try reader.nextTag() {
            if tag == VirtualChainScan.addedHash {
                last = try reader.bytes()
            } else {
                try reader.passOver(tag)
            }
        }
        return try last.flatMap { (text) throws(WireError) in BlockHash(try WireText.string(text)) }
    }
}
