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
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The encoded document in UTF-8.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): bytes.append(contentsOf: (value.isFinite ? value.expositionText : "null").utf8)
        case .string(let value): JSONText.write(quoted: value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.write(quoted: member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.1.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
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
