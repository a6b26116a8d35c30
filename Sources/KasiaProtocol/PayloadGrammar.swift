/// The grammar of Kasia payloads (kasia-payloads.md, Payload grammar): bytes in, classification out.
///
/// Every byte is the work of strangers. No payload makes the grammar trap; each byte is looked at a fixed number of
/// times at most, the body of most kinds not at all; and memory is allocated only for the keys and ids of a payload
/// already known to be well-formed, 120 bytes at most.
public enum PayloadGrammar {
    /// What our payloads begin with: the protocol's old name and its new one.
    public static let roots: [[UInt8]] = [Array("ciph_msg:".utf8), Array("kchat:".utf8)]

    /// Classifies a transaction's payload.
    public static func classify(_ payload: [UInt8]) -> PayloadClassification {
        classify(payload.span.bytes)
    }

    /// Classifies a payload that stands in borrowed memory; the ranges of the answer count from the buffer's start.
    public static func classify(_ payload: UnsafeRawBufferPointer) -> PayloadClassification {
        classify(payload.bytes)
    }

    /// Classifies a payload that stands in borrowed memory; the ranges of the answer count from the span's start.
    public static func classify(_ payload: RawSpan) -> PayloadClassification {
        guard let start = endOfRoot(of: payload), start < payload.byteCount else { return .notOurs }
        let end = payload.byteCount
        guard payload.has(version, at: start) else {
            return .operation(PayloadOperation(.handshake, isLegacy: true, body: start..<end))
        }
        let afterVersion = start + version.count
        for form in PayloadForm.all where payload.has(form.tag, at: afterVersion) {
            let rest = afterVersion + form.tag.count..<end
            guard let operation = form.read(payload, rest) else { return .malformed(form.kind) }
            return .operation(operation)
        }
        return .unknown
    }

    private static let version = Array("1:".utf8)

    /// The offset after the root; nil if the payload has none.
    private static func endOfRoot(of payload: RawSpan) -> Int? {
        // Nearly every payload on chain belongs to others and is turned away here, by its first byte.
        guard payload.byteCount > 0, payload.byte(at: 0) == 0x63 || payload.byte(at: 0) == 0x6b else { return nil }
        return roots.first { payload.has($0, at: 0) }?.count
    }
}
