import JSON
import Kaspa

extension StringProtocol {
    /// Without white space at both ends, scalar by scalar as other languages do it, since signatures cover trimmed
    /// texts.
    var trimmed: String {
        let scalars = unicodeScalars
        // Nearly all texts need no trimming, and this check is faster than Unicode's properties.
        if let first = scalars.first, let last = scalars.last, "!"..."~" ~= first, "!"..."~" ~= last {
            return String(self)
        }
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(self[start..<scalars.index(after: end)])
    }

    /// The text for use in a sentence of ours: at most 80 scalars, and no line break.
    var quotedForPeople: String {
        let shown = unicodeScalars.prefix(81)
        let text = shown.prefix(80).map { JSONText.isUnprintable($0) ? "?" : String($0) }.joined()
        return "\"\(text)\(shown.count > 80 ? "…" : "")\""
    }
}

extension Address {
    /// Parses an address of a request.
    ///
    /// The error names the parameter or member, and says what is wrong.
    static func parse(_ text: String, naming name: @autoclosure () -> String, on network: Network) throws -> Address {
        guard text.utf8.count <= APILimits.addressBytes else {
            throw APIError.badRequest("\(name()) is longer than \(APILimits.addressBytes) bytes")
        }
        do {
            return try Address.parse(text, on: network)
        } catch {
            throw APIError.badRequest("\(name()) \(text.quotedForPeople) is not valid: \(error)")
        }
    }
}
