import Foundation
import Testing

/// The address vectors that the project shares with its neighbours.
struct AddressVectors: Decodable {
    struct Valid: Decodable, CustomTestStringConvertible {
        let network: String
        let address: String
        let version: UInt8
        let payload: String
        let script: String

        var testDescription: String { address }
    }

    struct Invalid: Decodable, CustomTestStringConvertible {
        let address: String
        let why: String

        var testDescription: String { why }
    }

    let valid: [Valid]
    let invalid: [Invalid]

    static func load() throws -> AddressVectors {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/vectors/addresses.json").standardized
        return try JSONDecoder().decode(AddressVectors.self, from: Data(contentsOf: file))
    }
}
