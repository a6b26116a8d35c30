import JSON

/// The memo of a payment that is not sealed.
package enum PaymentMemo {
    /// The longest body that is read, in bytes: that of a memo as long as a push, each byte written as `\u0041`.
    package static let maximumBodyBytes = 6 * 4_096

    /// The text member `message` of a JSON object, or nil for anything else.
    package static func text(in body: ArraySlice<UInt8>) -> String? {
        guard body.count <= maximumBodyBytes, let message = JSONTexts(of: body, names: ["message"])?.bytes("message")
        else { return nil }
        return String(validUTF8: message)
    }
}
