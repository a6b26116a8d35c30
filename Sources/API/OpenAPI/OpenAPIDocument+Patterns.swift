import KasiaProtocol
import Store

/// Patterns of what requests hold, as strict as the code that reads it; a backslash is doubled, as JSON wants it.
extension OpenAPIDocument {
    /// An address of mainnet, but for its checksum.
    static let addressPattern = """
        (?:kaspa:(?:[qp]\(digit){60}|q\(digit){62})|KASPA:(?:[QP]\(capital){60}|Q\(capital){62}))
        """

    private static let digit = "[02-9ac-hj-np-z]"
    private static let capital = "[02-9AC-HJ-NP-Z]"

    /// White space around a text, or nothing else.
    static func trimmed(_ pattern: String) -> String { #"^\\s*(?:\#(pattern))?\\s*$"# }

    /// A text with white space around it.
    static func surrounded(_ pattern: String) -> String { #"^\\s*(?:\#(pattern))\\s*$"# }

    /// A channel's name; U+0085 is white space to Unicode, and not to all regular expressions.
    static let channelPattern = #"[^\\s\\u0085:]{1,36}"#

    /// Eight to 72 bytes in base64 or base64url, padded or not.
    static let deviceSignaturePattern = {
        let four = "[A-Za-z0-9+/_-]{4}"
        let two = "[A-Za-z0-9+/_-]{2}"
        let three = "[A-Za-z0-9+/_-]{3}"
        return "^(?:(?:\(four)){3,24}|(?:\(four)){3,23}\(two)(?:==)?|(?:\(four)){2,23}\(three)=?)$"
    }()

    static let typeNames = names(OperationKind.allCases.map(\.description) + [ActivityAnswer.transfer])
    static let directionNames = names(ActivityDirection.allCases.map(\.rawValue))
    static let statusNames = names(ActivityStatus.allCases.map(\.rawValue))
    static let transferNames = names(["transfers"])

    /// Names separated by commas, or nothing.
    private static func names(_ names: [String]) -> String {
        let name = "(?:\(names.joined(separator: "|")))"
        return "^(?:\(name)(?:,\(name))*)?$"
    }

    /// The greatest number that is read.
    static let greatest = UInt64.max
}
