import APIAssets
package import Kaspa

/// The description of the REST API that `GET /openapi.json` serves.
///
/// It is the file `Assets/openapi.json`. Tests compare its limits, patterns, error codes and calls with the code.
package enum OpenAPIDocument {
    /// The document as it is in the file, with mainnet's addresses.
    package static let json = Assets.openAPI

    /// The document with address patterns and examples for a network.
    ///
    /// The example of a signature stays mainnet's.
    package static func json(on network: Network) -> String {
        let prefix = network.addressPrefix.rawValue
        guard prefix != AddressPrefix.kaspa.rawValue else { return json }
        return json.replacing("kaspa:(?:", with: "\(prefix):(?:")
            .replacing("KASPA:(?:", with: "\(prefix.uppercased()):(?:")
            .replacing(exampleAddress, with: example(on: network))
    }

    private static let exampleAddress = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"

    private static func example(on network: Network) -> String {
        guard let address = try? Address(parsing: exampleAddress) else { return exampleAddress }
        return Address(prefix: network.addressPrefix, version: address.version, payload: address.payload)?.description
            ?? exampleAddress
    }
}
