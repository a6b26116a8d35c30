import Kaspa
import Push

/// Probable mistakes of a registration that is stored all the same.
extension Registration {
    /// The length of an app's alias, 12 characters, that was encoded in hex by mistake.
    private static let hexCodedAliasDigits = 24

    /// One sentence for each probable mistake.
    var warnings: [String] {
        guard !aliases.isEmpty, aliases.allSatisfy(Registration.isHexCoded) else { return [] }
        return [
            "every alias has \(Registration.hexCodedAliasDigits) hex digits, as an alias that was written in hex once more: "
                + "list aliases as the text that stands on chain (alias_text of a message), or no message will match"
        ]
    }

    private static func isHexCoded(_ alias: [UInt8]) -> Bool {
        alias.count == hexCodedAliasDigits && Hex.decode(alias) != nil
    }
}
