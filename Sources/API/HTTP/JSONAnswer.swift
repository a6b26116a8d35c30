import HTTPTypes
import Hummingbird
import NIOCore

/// JSON that the server writes: members keep their order; a number that JSON cannot write is null.
indirect enum JSONAnswer {
    case null
    case boolean(Bool)
    case integer(UInt64)
    case number(Double)
    case string(String)
    case array([JSONAnswer])
    case object([(String, JSONAnswer)])

    /// The encoded document.
    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): value.isFinite ? value.expositionText : "null"
        case .string(let value): JSONText.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONText.quoted($0.0) + ":" + $0.1.text }.joined(separator: ",") + "}"
        }
    }

    static func response(
        _ status: HTTPResponse.Status, _ answer: JSONAnswer, headers: HTTPFields = [:]
    ) -> Response {
        response(status, text: answer.text, headers: headers)
    }

    static func response(
        _ status: HTTPResponse.Status, text: String, contentType: String = "application/json", headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = contentType
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
