import Kaspa
import Testing

@testable import KasiaPushCore

@Suite("Sealed bodies")
struct SealedBodyTests {
    @Test("of whole payloads are what the grammar calls the body, raw and in hex")
    func vectors() throws {
        var bodies = 0
        for vector in try PayloadVector.load() {
            let payload = hex(vector.payload)
            guard let body = vector.body else { continue }
            let expected = hex(body)
            #expect(SealedBody(payload)?.bytes == expected)
            #expect(SealedBody(Array(vector.payload.utf8))?.bytes == expected)
            bodies += 1
        }
        #expect(bodies > 25)
    }

    @Test("of anything else are the bytes as they are")
    func others() throws {
        for vector in try PayloadVector.load() where ["none", "unknown", "malformed"].contains(vector.kind) {
            let payload = hex(vector.payload)
            #expect(SealedBody(payload)?.bytes == payload, "\(vector.payload)")
        }
    }

    @Test("have at most 262,144 bytes", arguments: [(0, true), (262_143, true), (262_144, true), (262_145, false)])
    func lengths(count: Int, isGood: Bool) {
        #expect((SealedBody(Array(repeating: 0xff, count: count)) != nil) == isGood)
    }

    @Test("may be read in every layer that apps and carriers add")
    func readings() throws {
        let bytes: [UInt8] = [0xff, 0x00, 0x80]
        let hex = Array(Hex.encode(bytes).utf8)
        let base64 = Array(Base64.encode(bytes).utf8)
        for text in [
            bytes, hex, base64, Array(Hex.encode(hex).utf8), Array(Base64.encode(base64).utf8),
            Array(Base64.encode(hex).utf8),
        ] {
            #expect(try #require(SealedBody(text)).readings.contains(bytes))
        }
    }
}
