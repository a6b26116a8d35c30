import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// The server's JSON.
///
/// Members keep their order, and a number that JSON cannot express is null.
indirect enum JSONAnswer {
    case null
    case boolean(Bool)
    case integer(UInt64)
    case number(Double)
    case string(String)
    case array([JSONAnswer])
    case object([(String, JSONAnswer)])

    /// The encoded document.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The encoded document in UTF-8.
    var bytes: [UInt8] {
        var json = JSONWriter(escaping: .unprintable)
        write(to: &json)
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .boolean(let value): json.boolean(value)
        case .integer(let value): json.integer(value)
        case .number(let value): json.number(value)
        case .string(let value): json.string(value)
        case .array(let values): json.array { json in for value in values { value.write(to: &json) } }
        case .object(let members):
            json.object { json in
                for (name, value) in members {
                    json.name(name)
                    value.write(to: &json)
                }
            }
        }
    }

    static func response(
        _ status: HTTPResponse.Status, _ answer: JSONAnswer, headers: HTTPFields = [:]
    ) -> Response {
        response(status, ByteBuffer(bytes: answer.bytes), contentType: "application/json", headers: headers)
    }

    static func response(
        _ status: HTTPResponse.Status, text: String, contentType: String = "application/json", headers: HTTPFields = [:]
    ) -> Response {
        response(status, ByteBuffer(string: text), contentType: contentType, headers: headers)
    }

    private static func response(
        _ status: HTTPResponse.Status, _ body: ByteBuffer, contentType: String, headers: HTTPFields
    ) -> Response {
        var headers = headers
        headers[.contentType] = contentType
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
