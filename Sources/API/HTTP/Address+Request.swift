import Kaspa

extension Address {
    /// Reads an address of a request; the error says which parameter or member is wrong, and why.
    static func parse(_ text: String, naming name: @autoclosure () -> String, on network: Network) throws -> Address {
        guard text.utf8.count <= APILimits.addressBytes else {
            throw APIError.badRequest("\(name()) is longer than \(APILimits.addressBytes) bytes")
        }
        do {
            return try Address.parse(text, on: network)
        } catch {
            throw APIError.badRequest("\(name()) \(text.quotedForPeople) is not valid: \(error)")
        }
    }
}
