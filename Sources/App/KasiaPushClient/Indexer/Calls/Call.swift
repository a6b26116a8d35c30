import Foundation

/// A request before it has an address.
struct Call {
    var method = "GET"
    /// The service's path: begins with a slash, percent-encoded.
    var path: String
    /// Query parameters in order; those without a value are left out.
    var query: [(name: String, value: String?)] = []
    var headers: [String: String] = [:]
    var body: (any Encodable)?

    /// A call with a body.
    static func sending(_ body: any Encodable, by method: String = "POST", to path: String) -> Call {
        Call(method: method, path: path, body: body)
    }

    /// The call as it is sent to the service at `root`.
    func request(to root: String, timeout: Duration, limits: IndexerClient.Limits) -> TransportRequest? {
        let query = query.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }
        let text = root + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        guard let url = URL(string: text) else { return nil }
        var request = TransportRequest(
            method: method, url: url, headers: headers, timeout: timeout, silence: limits.streamSilence,
            maximumBytes: limits.answerBytes)
        if let body {
            request.headers["Content-Type"] = "application/json"
            request.body = Call.encode(body)
        }
        return request
    }

    private static func encode(_ body: any Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(body) else {
            preconditionFailure("the members of a request can all be written as JSON")
        }
        return data
    }
}

extension String {
    /// The text as a part of a path or a query: all but letters, digits, `-`, `.`, `_` and `~` is escaped.
    var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}
