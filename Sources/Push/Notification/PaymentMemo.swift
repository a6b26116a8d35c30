import FoundationEssentials

/// The memo of a payment that is not sealed.
enum PaymentMemo {
    private struct Body: Decodable { let message: String }

    /// No longer body can hold nothing but a memo that fits: a byte of it is at most six here, as `\u0041`.
    static let maximumBodyBytes = 6 * NotificationEncoder.maximumBytes

    /// The text member `message` of a JSON object, or nil for anything else.
    static func text(in body: ArraySlice<UInt8>) -> String? {
        guard body.count <= maximumBodyBytes, body.first(where: { !isSpace($0) }) == UInt8(ascii: "{") else {
            return nil
        }
        return try? JSONDecoder().decode(Body.self, from: Data(body)).message
    }

    /// The white space of RFC 8259.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }
}
