import Kaspa
import Push

/// What an app should look at, though its registration is stored as it is.
extension Registration {
    /// Digits of an alias that was written in hex once more: the apps' aliases have 12 characters.
    private static let hexCodedAliasDigits = 24

    /// One sentence for each thing; empty when there is nothing to say.
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
