import CNghttp2
import TestRandom
import Testing

@testable import HTTP2Client

@Suite("Header encoder")
struct HeaderEncoderTests {
    private static let shared = SharedFields(
        [
            HeaderField("authorization", "bearer " + String(repeating: "x", count: 240)),
            HeaderField("apns-topic", "org.example.messenger"), HeaderField("apns-priority", "10"),
            HeaderField("content-type", "application/json"),
        ], generation: 1)

    private static func request(_ number: Int) -> HTTPRequest {
        HTTPRequest(
            path: "/3/device/\(number)",
            fields: [HeaderField("apns-id", "id-\(number)"), HeaderField("apns-collapse-id", "collapse-\(number)")],
            body: Array(repeating: 0, count: number))
    }

    /// The fields that a request has on the wire, in their order.
    private static func fields(_ request: HTTPRequest, _ shared: SharedFields) -> [HeaderField] {
        [
            HeaderField(":path", request.path), HeaderField(":method", request.method == .get ? "GET" : "POST"),
            HeaderField(":scheme", "https"), HeaderField(":authority", "localhost:443"),
        ] + shared.fields + request.fields
            + (request.method == .get ? [] : [HeaderField("content-length", "\(request.body.count)")])
    }

    private static func encode(_ request: HTTPRequest, _ shared: SharedFields, _ encoder: inout HeaderEncoder)
        -> [UInt8]
    {
        var block: [UInt8] = []
        encoder.encode(request, shared, into: &block)
        return block
    }

    @Test("what it writes, nghttp2 reads, request after request")
    func roundTrip() {
        var encoder = HeaderEncoder(authority: "localhost:443")
        let decoder = HeaderDecoder()
        for number in 0..<100 {
            let request = Self.request(number)
            #expect(decoder.decode(Self.encode(request, Self.shared, &encoder)) == Self.fields(request, Self.shared))
        }
    }

    @Test("a GET and a POST share their fields, and a GET has no length")
    func methods() {
        var encoder = HeaderEncoder(authority: "localhost:443")
        let decoder = HeaderDecoder()
        for number in 0..<20 {
            let request = number % 3 == 0 ? HTTPRequest(getting: "/get/\(number)") : Self.request(number)
            #expect(decoder.decode(Self.encode(request, Self.shared, &encoder)) == Self.fields(request, Self.shared))
        }
        #expect(Self.encode(HTTPRequest(getting: "/"), SharedFields([], generation: 1), &encoder).contains(0x82))
    }

    @Test("shared fields cost a byte each after the first request, own fields their values and a few bytes")
    func sizes() {
        var encoder = HeaderEncoder(authority: "localhost:443")
        let first = Self.encode(Self.request(1), Self.shared, &encoder).count
        let second = Self.encode(Self.request(1), Self.shared, &encoder).count
        #expect(first > 390)
        let values = "/3/device/1id-1collapse-11".count
        // 7 shared fields; then an index and a length before each value. The indices beyond 14 have two bytes.
        #expect(second == 7 + values + 2 + 3 * 3)
    }

    @Test("a new provider token is written once", arguments: [1, 2, 5])
    func newShared(rounds: Int) {
        var encoder = HeaderEncoder(authority: "localhost:443")
        let decoder = HeaderDecoder()
        for round in 0..<rounds {
            let shared = SharedFields(
                [HeaderField("authorization", "bearer \(round)"), HeaderField("apns-topic", "t")], generation: round)
            var sizes: [Int] = []
            for _ in 0..<3 {
                let block = Self.encode(Self.request(7), shared, &encoder)
                #expect(decoder.decode(block) == Self.fields(Self.request(7), shared))
                sizes.append(block.count)
            }
            #expect(sizes[0] > sizes[1] && sizes[1] == sizes[2])
        }
    }

    @Test(
        "numbers of all lengths are written as RFC 7541 has them", arguments: [126, 127, 128, 254, 255, 16_510, 16_511])
    func integers(length: Int) {
        var encoder = HeaderEncoder(authority: "localhost:443")
        let request = HTTPRequest(
            path: "/" + String(repeating: "p", count: length - 1), fields: [], body: [])
        #expect(
            HeaderDecoder().decode(Self.encode(request, Self.shared, &encoder)) == Self.fields(request, Self.shared))
    }

    @Test(
        "the server's table is never larger than it allows, and a change is announced",
        arguments: [0, 31, 32, 33, 300, 4_095, 4_096, 4_097, 65_536])
    func tableLimit(bytes: Int) {
        var encoder = HeaderEncoder(authority: "localhost:443")
        let decoder = HeaderDecoder()
        #expect(decoder.decode(Self.encode(Self.request(1), Self.shared, &encoder)) != nil)
        encoder.limitTable(to: bytes)
        decoder.limitTable(to: bytes)
        #expect(encoder.tableSize <= bytes)
        for number in 0..<3 {
            let block = Self.encode(Self.request(number), Self.shared, &encoder)
            #expect(decoder.decode(block) == Self.fields(Self.request(number), Self.shared))
            #expect(encoder.tableSize <= min(bytes, HeaderEncoder.maximumTableSize))
        }
    }

    @Test("a table that shrank and grew again between two requests is announced with both sizes")
    func shrinksAndGrows() {
        var encoder = HeaderEncoder(authority: "localhost:443")
        let decoder = HeaderDecoder()
        _ = decoder.decode(Self.encode(Self.request(1), Self.shared, &encoder))
        for bytes in [100, 0, 2_000] {
            encoder.limitTable(to: bytes)
            decoder.limitTable(to: bytes)
        }
        let block = Self.encode(Self.request(2), Self.shared, &encoder)
        #expect(Array(block.prefix(2)) == [0x20, 0x3f])
        #expect(decoder.decode(block) == Self.fields(Self.request(2), Self.shared))
    }

    @Test("nghttp2 reads whatever it writes, over random requests, tokens and table sizes")
    func random() {
        var random = SeededRandom()
        for _ in 0..<200 {
            var encoder = HeaderEncoder(authority: "localhost:443")
            let decoder = HeaderDecoder()
            var shared = Self.shared
            for _ in 0..<30 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                    let bytes = Int.random(in: 0...5_000, using: &random)
                    encoder.limitTable(to: bytes)
                    decoder.limitTable(to: bytes)
                case 1:
                    let count = Int.random(in: 0..<8, using: &random)
                    shared = SharedFields(
                        (0..<count).map {
                            HeaderField(
                                "name-\($0)",
                                String(repeating: "v", count: Int.random(in: 0..<1_500, using: &random)))
                        }, generation: 1)
                default: break
                }
                let request = Self.request(Int.random(in: 0..<1_000, using: &random))
                let block = Self.encode(request, shared, &encoder)
                #expect(decoder.decode(block) == Self.fields(request, shared), "seed \(random.seed)")
                #expect(block.count <= request.headerBytes(with: shared, authority: "localhost:443"))
            }
        }
    }
}
