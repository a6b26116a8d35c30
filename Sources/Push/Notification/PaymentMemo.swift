/// The memo of a payment that is not sealed.
enum PaymentMemo {
    /// No longer body can hold nothing but a memo that fits: a byte of it is at most six here, as `\u0041`.
    static let maximumBodyBytes = 6 * NotificationEncoder.maximumBytes

    /// The text member `message` of a JSON object, or nil for anything else.
    static func text(in body: ArraySlice<UInt8>) -> String? {
        guard body.count <= maximumBodyBytes, let message = JSONTexts(of: body, names: ["message"])?.bytes("message")
        else { return nil }
        return String(validating: message, as: UTF8.self)
    }
}
