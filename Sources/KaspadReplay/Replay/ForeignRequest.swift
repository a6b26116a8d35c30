import Foundation
import KaspaNode
import Recordings
import SwiftProtobuf

/// A request that the replay node cannot answer: recordings have no data for it, it is of a later protocol, or the
/// message holds no request.
enum ForeignRequest: Hashable, Sendable {
    case withoutData(RequestWithoutData)
    /// A request that is not in the protocol as it is known here; the field's number in KaspadRequest.
    case later(UInt64)
    /// No request, or a message that only a node sends.
    case none

    /// Reads a message in whose payload no known request was found.
    init(_ message: Protowire_KaspadRequest) {
        guard let number = Self.firstField(of: message.unknownFields.data) else {
            self = .none
            return
        }
        if let request = RequestWithoutData(rawValue: number) {
            self = .withoutData(request)
        } else {
            self =
                number > RequestWithoutData.lastKnownNumber && number < Self.fieldNumberLimit ? .later(number) : .none
        }
    }

    /// What the request is called in the log; the same for all of a later protocol, so that there are few.
    var name: String {
        switch self {
        case .withoutData(let request): "\(request)"
        case .later: "unknown"
        case .none: "none"
        }
    }

    /// The error in the response that belongs to the request.
    ///
    /// The protocol's response to each request has the next number, and each has the same field for an error. What is
    /// no request has no response: its error comes in a response to Ping.
    func refusal(id: UInt64) throws -> Protowire_KaspadResponse {
        let error = Protowire_PingResponseMessage.with { $0.error.message = message }
        var response = Protowire_KaspadResponse.with { $0.pingResponse = error }
        if let number {
            let body: [UInt8] = try error.serializedBytes()
            var bytes: [UInt8] = []
            bytes.append(varint: (number + 1) << 3 | Self.lengthDelimited)
            bytes.append(varint: UInt64(body.count))
            response = try Protowire_KaspadResponse(serializedBytes: bytes + body)
        }
        response.id = id
        return response
    }

    private var message: String {
        switch self {
        case .withoutData(let request): "\(request) is not answered here: a recording has no data for it"
        case .later(let number): "request \(number) is not known here"
        case .none: "the message holds no request"
        }
    }

    private var number: UInt64? {
        switch self {
        case .withoutData(let request): request.rawValue
        case .later(let number): number
        case .none: nil
        }
    }

    /// Protobuf's wire type of messages.
    private static let lengthDelimited: UInt64 = 2
    /// Protobuf's field numbers have 29 bits, and the response needs one, too.
    private static let fieldNumberLimit: UInt64 = 1 << 29 - 1

    private static func firstField(of bytes: Data) -> UInt64? {
        var (tag, shift) = (UInt64(0), UInt64(0))
        for byte in bytes.prefix(5) {
            tag |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return tag >> 3 }
            shift += 7
        }
        return nil
    }
}
