import KasiaProtocol
import Kaspa

/// The grammar's table written down a second time, by splitting copies and with a regular expression: slow, and with
/// nothing in common with the parser that it judges.
enum ReferenceGrammar {
    /// Whether a classification is the one that the table asks for, with the same fields.
    static func reads(_ payload: [UInt8], as classification: PayloadClassification) -> Bool {
        let (name, fields) = read(payload)
        switch classification {
        case .notOurs: return name == "none"
        case .unknown: return name == "unknown"
        case .malformed(let kind): return name == "malformed \(kind)"
        case .operation(let operation):
            var found: [[UInt8]] = [operation.alias, operation.scope, operation.channel].compactMap { $0 }
                .map { Array(payload[$0]) }
            if let tag = operation.inboxTag { found.insert(Array(Hex.encode(tag).utf8), at: 0) }
            if let recipient = operation.recipient { found.append(Array(Hex.encode(recipient).utf8)) }
            found.append(Array(payload[operation.body]))
            return name == (operation.isLegacy ? "legacy" : operation.kind.description) && fields == found
        }
    }

    private static func read(_ payload: [UInt8]) -> (name: String, fields: [[UInt8]]) {
        let (root, rest) = cut(payload, at: ":")
        guard ["ciph_msg", "kchat"].contains(text(root)), let rest, !rest.isEmpty else { return ("none", []) }
        let (version, versioned) = cut(rest, at: ":")
        guard text(version) == "1", let versioned else { return ("legacy", [rest]) }
        let (tag, after) = cut(versioned, at: ":")
        guard let after else { return ("unknown", []) }
        switch text(tag) {
        case "handshake", "hs": return ("handshake", [after])
        case "payment", "pay": return ("payment", [after])
        case "comm", "msg":
            let (alias, body) = cut(after, at: text(tag) == "comm" ? ":" : "|")
            guard let body, !alias.isEmpty else { return ("malformed contextual_message", []) }
            return ("contextual_message", [alias, body])
        case "dm":
            let (tag, aliased) = cut(after, at: ":")
            guard text(tag).wholeMatch(of: /[0-9a-f]{32}/) != nil, let aliased else {
                return ("malformed contextual_message", [])
            }
            let (alias, body) = cut(aliased, at: ":")
            guard let body, !alias.isEmpty else { return ("malformed contextual_message", []) }
            return ("contextual_message", [tag, alias, body])
        case "self_stash":
            let (scope, body) = cut(after, at: ":")
            return ("self_stash", body.map { [scope, $0] } ?? [after])
        case "bcast":
            let (channel, body) = cut(after, at: ":")
            return body.map { ("broadcast", [channel, $0]) } ?? ("malformed broadcast", [])
        case "gcomm": return groupMessage(after)
        case "gctl": return groupControl(after)
        default: return ("unknown", [])
        }
    }

    private static func groupMessage(_ body: [UInt8]) -> (name: String, fields: [[UInt8]]) {
        let form = /[0-9a-f]{64}:([0-9]{1,20}):[0-9a-f]{64}:[0-9a-f]{64}:[0-9a-f]{48}:([0-9a-f]{2})+:[0-9a-f]{128}/
        guard let match = text(body).lowercased().wholeMatch(of: form), UInt64(match.1) != nil else {
            return ("malformed group_message", [])
        }
        return ("group_message", [body])
    }

    private static func groupControl(_ rest: [UInt8]) -> (name: String, fields: [[UInt8]]) {
        let form = /(?:([0-9a-f]{64}):)?((?:[0-9a-f]{2})+)/
        guard let match = text(rest).lowercased().wholeMatch(of: form) else { return ("malformed group_control", []) }
        let body = Array(rest.suffix(match.2.utf8.count))
        return ("group_control", match.1.map { [Array($0.utf8), body] } ?? [body])
    }

    private static func cut(_ bytes: [UInt8], at separator: Character) -> ([UInt8], [UInt8]?) {
        let parts = bytes.split(separator: separator.asciiValue ?? 0, maxSplits: 1, omittingEmptySubsequences: false)
        return (Array(parts[0]), parts.count == 2 ? Array(parts[1]) : nil)
    }

    /// Text in which no byte outside ASCII can pass for a letter: lower-casing turns some foreign letters into our own.
    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { $0 < 128 ? $0 : 0 }, as: UTF8.self)
    }
}
