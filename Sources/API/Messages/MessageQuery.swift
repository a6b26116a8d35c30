import Hummingbird
import HummingbirdCore
import Kaspa
import Store

/// The query parameters of a reading call.
///
/// Each error names the parameter.
struct MessageQuery {
    static let defaultLimit = 10
    static let maximumLimit = 50

    let network: Network
    private let parameters: FlatDictionary<Substring, Substring>

    init(_ request: Request, network: Network) {
        self.network = network
        parameters = request.uri.formParameters
    }

    func text(_ name: String) throws -> String {
        guard let text = parameters[Substring(name)] else { throw APIError.badRequest("\(name) is missing") }
        return String(text)
    }

    func address(_ name: String) throws -> Address {
        try Address.parse(try text(name), naming: name, on: network)
    }

    /// An address under either of two names.
    ///
    /// Errors use the first.
    func address(_ name: String, or other: String) throws -> Address {
        try address(parameters[Substring(name)] == nil && parameters[Substring(other)] != nil ? other : name)
    }

    /// Bytes in hex; nil when the parameter is missing or empty.
    func optionalBytes(_ name: String, atMost limit: Int) throws -> [UInt8]? {
        guard let text = parameters[Substring(name)], !text.isEmpty else { return nil }
        guard let bytes = Hex.decode(text.utf8) else {
            throw APIError.badRequest("\(name) must be an even number of hex digits")
        }
        guard bytes.count <= limit else { throw APIError.badRequest("\(name) is longer than \(limit) bytes") }
        return bytes
    }

    func bytes(_ name: String, count: Int) throws -> [UInt8] {
        guard let bytes = Hex.decode(try text(name).utf8), bytes.count == count else {
            throw APIError.badRequest("\(name) must be \(2 * count) hex digits")
        }
        return bytes
    }

    /// Milliseconds since 1970; nil when the parameter is missing.
    func time(_ name: String) throws -> UInt64? {
        guard let text = parameters[Substring(name)] else { return nil }
        guard let digits = text.asciiDigits, let time = UInt64(digits) else {
            throw APIError.badRequest("\(name) must be milliseconds, a number from 0 to 18446744073709551615")
        }
        return time
    }

    /// The values of a comma-separated list of names from `values`; nil when the parameter is missing or empty.
    func optionalNames<Value: Hashable>(_ name: String, _ values: [String: Value]) throws -> Set<Value>? {
        guard let text = parameters[Substring(name)], !text.isEmpty else { return nil }
        var named: Set<Value> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let value = values[String(word)] else {
                let known = values.keys.sorted().joined(separator: ", ")
                throw APIError.badRequest("\(name) knows no \(String(word).quotedForPeople): it takes \(known)")
            }
            named.insert(value)
        }
        return named
    }

    /// nil when the parameter is missing or empty.
    func optionalText(_ name: String) -> String? {
        parameters[Substring(name)].flatMap { $0.isEmpty ? nil : String($0) }
    }

    func cursor() throws -> OperationPosition? {
        guard let text = parameters["cursor"], !text.isEmpty else { return nil }
        return try OperationPosition.parse(text, naming: "cursor")
    }

    func limit(default standard: Int = defaultLimit, atMost maximum: Int = maximumLimit) throws -> Int {
        try parameters["limit"]?.pageLimit(atMost: maximum) ?? standard
    }
}

extension OperationPosition {
    /// Parses a cursor of a request.
    ///
    /// The error names the parameter or member.
    static func parse(_ text: some StringProtocol, naming name: @autoclosure () -> String) throws -> OperationPosition {
        guard let position = Hex.decode(text.utf8).flatMap({ OperationPosition(bytes: $0) }) else {
            throw APIError.badRequest("\(name()) is none of ours: take it from an item as it is")
        }
        return position
    }
}

extension Substring {
    /// The text if it consists of ASCII digits only.
    var asciiDigits: Substring? {
        !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } ? self : nil
    }

    /// The number of items asked for, at most `maximum`, however many digits it has.
    func pageLimit(atMost maximum: Int) throws -> Int {
        guard let digits = asciiDigits, digits.contains(where: { $0 != "0" }) else {
            throw APIError.badRequest("limit must be a positive number")
        }
        return Swift.min(Int(digits) ?? maximum, maximum)
    }
}
