import Foundation

/// A message that another library has sealed (`Tests/Fixtures/vectors/messages.json`).
struct SealedVector {
    let address: String
    /// The receiver's secret in hex.
    let secret: String
    let text: String
    private let sealed: String

    /// The first of the vectors that has a receiver.
    ///
    /// Errors: ``BenchmarkError`` outside of the project's folder.
    static func first() throws -> SealedVector {
        let path = "Tests/Fixtures/vectors/messages.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("\(path) cannot be read: run the benchmarks from the project's folder.")
        }
        let vectors = try JSONDecoder().decode(Vectors.self, from: data)
        for entry in vectors.sealed {
            guard let address = entry.receiver_address, let text = entry.text else { continue }
            return SealedVector(address: address, secret: entry.receiver_secret, text: text, sealed: entry.sealed)
        }
        throw BenchmarkError("\(path) has no message.")
    }

    var secretBytes: [UInt8] { Self.bytes(secret) }

    /// A push in the flat shape with this message.
    var push: String {
        let payload = Data(Self.bytes(sealed)).base64EncodedString()
        let transaction = String(repeating: "ab", count: 32)
        return """
            {"aps":{"alert":{"title":"\(address)","body":"New message"},"mutable-content":1},"type":"contextual",\
            "tx_id":"\(transaction)","seq":7,"payload":"\(payload)"}
            """
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    private struct Vectors: Decodable {
        struct Sealed: Decodable {
            let receiver_address: String?
            let receiver_secret: String
            let sealed: String
            let text: String?
        }

        let sealed: [Sealed]
    }
}
