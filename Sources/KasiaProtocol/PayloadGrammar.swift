/// What `PayloadGrammar` makes of a transaction's payload.
public enum PayloadClassification: Equatable, Sendable {
    /// Empty, without one of our roots, or a root with nothing after it.
    case notOurs
    /// The first version's mark, then no kind that is known: counted, never an error.
    case unknown
    /// A known kind whose fields are not as the grammar wants them; the writer's fault.
    case malformed(OperationKind)
    /// A well-formed operation. Whether its sender is who it seems to be is not the grammar's business.
    case operation(ParsedPayload)
}

/// The grammar of Kasia payloads: bytes in, classification out.
///
/// Every byte is the work of strangers. No payload makes the grammar trap; each byte is looked at a fixed number of
/// times at most, the body of most kinds not at all; and memory is allocated only for what a payload already known to
/// be well-formed says: keys and ids of 120 bytes at most, a channel's name, and a copy of a broadcast's JSON while it
/// is read.
public enum PayloadGrammar {
    /// What our payloads begin with: the protocol's old name and its new one.
    public static let roots: [[UInt8]] = [Array("ciph_msg:".utf8), Array("kchat:".utf8)]

    /// Classifies a transaction's payload.
    public static func classify(_ payload: [UInt8]) -> PayloadClassification {
        payload.withUnsafeBytes { classify($0) }
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
            return .operation(ParsedPayload(.handshake, body: start..<end))
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
