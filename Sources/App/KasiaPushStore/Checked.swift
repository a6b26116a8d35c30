/// Values as the tables hold them; throws for one that is outside of its bounds.
enum Checked {
    /// An address's longest text in bytes, as the service takes it.
    static let addressBytes = 1...128
    /// A method's or kind's name in bytes.
    static let nameBytes = 1...64

    /// A transaction's id, or another 32 bytes in hex: 64 hex digits, made lower case.
    static func digest(_ text: String, _ name: String = "transaction id") throws(StoreError) -> String {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw StoreError(.invalidValue, "\(name): 64 hex digits")
        }
        return text.lowercased()
    }

    /// An address with its prefix, made lower case.
    ///
    /// Whether it is one of the network is the wallet's to know.
    static func address(_ text: String) throws(StoreError) -> String {
        try self.text(text, "address", addressBytes).lowercased()
    }

    /// A text of so many bytes of UTF-8.
    static func text(_ text: String, _ name: String, _ bytes: ClosedRange<Int>) throws(StoreError) -> String {
        guard bytes.contains(text.utf8.count) else {
            throw StoreError(.invalidValue, "\(name): \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        }
        return text
    }
}
