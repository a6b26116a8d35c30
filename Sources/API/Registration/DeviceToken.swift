import Kaspa

/// Parses device tokens in the forms that apps use.
enum DeviceToken {
    /// The token's bytes.
    ///
    /// Spaces, `<`, `>`, `-` and `:` are removed. The rest must be an even number of hex digits, 64 to 512.
    static func parse(_ text: String, naming name: String = "device_token") throws -> [UInt8] {
        var digits: [UInt8] = []
        for byte in text.utf8 {
            if " <>-:".utf8.contains(byte) { continue }
            guard Hex.digit(byte) != nil else {
                throw APIError.badRequest("\(name) has a character that is not a hex digit")
            }
            digits.append(byte)
        }
        guard APILimits.tokenDigits.contains(digits.count), let bytes = Hex.decode(digits) else {
            throw APIError.badRequest(
                "\(name) must have 64 to 512 hex digits, an even number, not \(digits.count)")
        }
        return bytes
    }
}
