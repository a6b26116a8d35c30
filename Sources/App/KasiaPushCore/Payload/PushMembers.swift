import Foundation
import JSON

/// The members of a push or of an object in it, whichever way the system gave them.
///
/// Numbers may be numbers or decimal text, and flags may be booleans, 1 or `true`: FCM has only texts, and iOS bridges
/// booleans and numbers to the same class.
struct PushMembers {
    /// The longest push that is parsed, in bytes; the longest that any carrier takes has 5 KB.
    static let maximumBytes = 16_384
    /// Objects in each other; the service's pushes have three.
    private static let maximumDepth = 4

    private let members: [String: JSONValue]

    private init(_ members: [String: JSONValue]) { self.members = members }

    /// Parses a JSON object.
    init(json: [UInt8]) throws(PushPayloadError) {
        guard json.count <= PushMembers.maximumBytes else { throw .tooLong }
        guard let value = try? JSONParser.parse(json), case .object(let members) = value else { throw .notJSON }
        self.init(members)
    }

    /// Takes FCM's `data`.
    init(data: [String: String]) { self.init(data.mapValues { .string($0) }) }

    /// Takes what iOS gives; values that no JSON has, and what is nested too deep, are left out.
    init(userInfo: [AnyHashable: Any]) { self.init(PushMembers.object(userInfo, depth: 1)) }

    private static func object(_ dictionary: [AnyHashable: Any], depth: Int) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for (key, value) in dictionary {
            guard let name = key as? String, let value = json(value, depth: depth) else { continue }
            members[name] = value
        }
        return members
    }

    private static func json(_ value: Any, depth: Int) -> JSONValue? {
        switch value {
        case let text as String: .string(text)
        case let number as NSNumber: decimal(number.stringValue).map { .integer($0) }
        case let flag as Bool: .boolean(flag)
        case let number as any BinaryInteger: UInt64(exactly: number).map { .integer($0) }
        case let members as [AnyHashable: Any] where depth < maximumDepth: .object(object(members, depth: depth + 1))
        default: nil
        }
    }

    // MARK: Reading

    /// Whether there is a member of this name.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// A text that is not empty.
    func text(_ name: String) -> String? {
        anyText(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A text, which may be empty.
    func anyText(_ name: String) -> String? {
        guard case .string(let text) = members[name] else { return nil }
        return text
    }

    /// A whole number from 0 to 2^64 - 1.
    func number(_ name: String) -> UInt64? {
        switch members[name] {
        case .integer(let number): number
        case .string(let text): PushMembers.decimal(text)
        default: nil
        }
    }

    /// Whether the flag is there and set.
    func flag(_ name: String) -> Bool {
        switch members[name] {
        case .boolean(let flag): flag
        case .integer(let number): number == 1
        case .string(let text): text == "true"
        default: false
        }
    }

    /// An object.
    func object(_ name: String) -> PushMembers? {
        guard case .object(let members) = members[name] else { return nil }
        return PushMembers(members)
    }

    /// Digits alone: the number's own parser would take a sign, too.
    private static func decimal(_ text: String) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }
}
