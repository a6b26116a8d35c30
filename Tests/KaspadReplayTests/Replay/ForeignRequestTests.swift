import GRPCCore
import GRPCNIOTransportHTTP2Posix
import KaspaNode
import Logging
import RecordedLogs
import Recordings
import ReplaySupport
import SwiftProtobuf
import Testing

@testable import KaspadReplay

@Suite("A request that the replay node does not answer", .timeLimit(.minutes(5)))
struct ForeignRequestTests {
    /// A message with a field of this number that holds nothing.
    private static func request(_ number: UInt64, id: UInt64 = 7) throws -> Protowire_KaspadRequest {
        var bytes: [UInt8] = []
        bytes.append(varint: number << 3 | 2)
        var request = try Protowire_KaspadRequest(serializedBytes: bytes + [0])
        request.id = id
        return request
    }

    /// An answer that holds an error and nothing else: the field that the payload is in, and the error's text.
    private static func read(_ answer: Protowire_KaspadResponse) throws -> (number: UInt64, message: String) {
        var payload = answer
        payload.id = 0
        let bytes: [UInt8] = try payload.serializedBytes()
        var (tag, shift, offset) = (UInt64(0), UInt64(0), 0)
        repeat {
            tag |= UInt64(bytes[offset] & 0x7f) << shift
            (shift, offset) = (shift + 7, offset + 1)
        } while bytes[offset - 1] & 0x80 != 0
        // The lengths here fit into a byte.
        #expect(Int(bytes[offset]) == bytes.count - offset - 1)
        let body = try Protowire_PingResponseMessage(serializedBytes: Array(bytes[(offset + 1)...]))
        return (tag >> 3, body.error.message)
    }

    private static func node(_ logger: Logger = quiet) throws -> ReplayNode {
        var script = RecordingScript()
        script.extend(from: 1, count: 3)
        var configuration = ReplayConfiguration()
        configuration.pace = .stepped
        return try ReplayNode(recording: script.recording, configuration: configuration, logger: logger)
    }

    @Test("gets the error of its own response, which names it", arguments: RequestWithoutData.allCases)
    func withoutData(request: RequestWithoutData) throws {
        let node = try Self.node()
        let answer = try #require(try node.answer(Self.request(request.rawValue), for: node.open()))
        let (number, message) = try Self.read(answer)
        #expect(answer.id == 7)
        #expect(number == request.rawValue + 1)
        #expect(message.hasPrefix("\(request) is not answered here"))
    }

    @Test("is in the table only if the protocol's file does not have it, and each has a response of its own")
    func table() throws {
        let numbers = Set(RequestWithoutData.allCases.map(\.rawValue))
        for number in numbers {
            #expect(!numbers.contains(number + 1))
            #expect(number < RequestWithoutData.lastKnownNumber)
            #expect(try Self.request(number).payload == nil)
        }
    }

    @Test(
        "of a later protocol gets the error of the response that would be its own",
        arguments: [RequestWithoutData.lastKnownNumber + 1, 1200, 1 << 29 - 2] as [UInt64])
    func later(number: UInt64) throws {
        let node = try Self.node()
        let answer = try #require(try node.answer(Self.request(number), for: node.open()))
        let read = try Self.read(answer)
        #expect(read.number == number + 1)
        #expect(read.message == "request \(number) is not known here")
    }

    @Test(
        "is no request: the error comes in a response to Ping",
        arguments: [1, 102, 1000, 1002, 1009, RequestWithoutData.lastKnownNumber, 1 << 29 - 1] as [UInt64])
    func none(number: UInt64) throws {
        let node = try Self.node()
        for request in [try Self.request(number), .with { $0.id = 7 }] {
            let answer = try #require(try node.answer(request, for: node.open()))
            #expect(answer.id == 7)
            #expect(answer.pingResponse.error.message == "the message holds no request")
        }
    }

    @Test("is logged once a kind")
    func logged() throws {
        let logs = RecordedLogs()
        let node = try Self.node(logs.logger)
        let session = node.open()
        let numbers: [UInt64] = [1086, 1086, 1020, 1086, 2000, 2001, 1009, 5]
        for number in numbers { _ = try node.answer(Self.request(number), for: session) }
        let message = "request refused: no data for it"
        #expect(
            logs.texts(of: message)
                == ["getCoinSupply", "submitTransaction", "unknown", "none"].map { "\(message) request=\($0)" })
    }

    @Test("costs nothing but its answer: the stream goes on, and each answer bears its request's id")
    func stream() async throws {
        var script = RecordingScript()
        script.extend(from: 1, count: 3)
        try await withReplay(script.recording) { node, url in
            let ping = Protowire_KaspadRequest.with {
                $0.id = 4
                $0.pingRequest = .init()
            }
            let requests = [try Self.request(1086, id: 1), .with { $0.id = 2 }, try Self.request(3000, id: 3), ping]
            let port = try await node.boundPort
            let answers = try await withGRPCClient(
                transport: .http2NIOPosix(
                    target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
            ) { client in
                try await Protowire_RPC.Client(wrapping: client).messageStream { writer in
                    try await writer.write(contentsOf: requests)
                } onResponse: { response in
                    try await response.messages.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(answers.map(\.id) == [1, 2, 3, 4])
            #expect(answers.last?.pingResponse == .init())
        }
    }
}
