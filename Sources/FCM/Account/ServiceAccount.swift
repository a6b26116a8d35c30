import JSON
package import JWTKit

/// A service account of Google's, which speaks for one Firebase project.
///
/// It is read from the JSON file that Google's console gives. It holds a private key: no description shows it.
public struct ServiceAccount: Sendable, Equatable {
    /// The project whose app the pushes are for.
    public let projectID: String
    /// The account's name, an e-mail address.
    public let clientEmail: String
    /// The key's name, which the JWT bears.
    public let privateKeyID: String
    /// Where access tokens are asked for.
    let tokenAddress: HTTPSAddress
    /// Signs for the account.
    package let key: Insecure.RSA.PrivateKey

    /// The largest file that is read, in bytes; Google's have about 2,400.
    public static let maximumBytes = 65_536

    /// Reads the text of the file.
    ///
    /// Members that are not needed may be there, and may be anything.
    ///
    /// - Throws: What is wrong with the file.
    public init(json text: String) throws(ServiceAccountError) {
        let members = try ServiceAccount.members(of: text)
        if let type = members["type"], type != .string("service_account") {
            throw ServiceAccountError(
                member: "type",
                description: "the member type is not service_account: the file is for another kind of credentials")
        }
        projectID = try ServiceAccount.text("project_id", in: members, longest: 100)
        guard projectID.utf8.allSatisfy({ $0.isLetterOrDigit || "-._:".utf8.contains($0) }) else {
            throw ServiceAccountError(
                member: "project_id", description: "the member project_id is not a project's name")
        }
        clientEmail = try ServiceAccount.text("client_email", in: members, longest: 320)
        guard clientEmail.utf8.contains(UInt8(ascii: "@")) else {
            throw ServiceAccountError(
                member: "client_email", description: "the member client_email is not an e-mail address")
        }
        privateKeyID = try ServiceAccount.text("private_key_id", in: members, longest: 128)
        let uri = try ServiceAccount.text("token_uri", in: members, longest: HTTPSAddress.maximumBytes)
        guard let address = HTTPSAddress(uri), address.path.utf8.count > 1 else {
            throw ServiceAccountError(
                member: "token_uri",
                description: "the member token_uri is not an https URL such as https://oauth2.googleapis.com/token")
        }
        tokenAddress = address
        key = try ServiceAccount.key(pem: try ServiceAccount.text("private_key", in: members))
    }

    /// Where access tokens are asked for, as the file has it.
    public var tokenURI: String { tokenAddress.origin + tokenAddress.path }

    private static func members(of text: String) throws(ServiceAccountError) -> [String: JSONValue] {
        guard text.utf8.count <= maximumBytes else {
            throw ServiceAccountError(
                description: "the service account's file has more than \(maximumBytes) bytes: it is not Google's")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ServiceAccountError(description: "the service account's file is empty")
        }
        let value: JSONValue
        do {
            value = try JSONParser.parse(Array(text.utf8))
        } catch {
            throw ServiceAccountError(
                description:
                    "the service account's file is not JSON, or is cut short: the file as Google gave it is needed"
            )
        }
        guard case .object(let members) = value else {
            throw ServiceAccountError(description: "the service account's file is not one JSON object")
        }
        return members
    }

    /// A member that must be there; with a limit, it is printable ASCII.
    private static func text(
        _ name: String, in members: [String: JSONValue], longest: Int? = nil
    ) throws(ServiceAccountError) -> String {
        guard let value = members[name] else {
            throw ServiceAccountError(member: name, description: "the member \(name) is missing")
        }
        guard case .string(let text) = value else {
            throw ServiceAccountError(member: name, description: "the member \(name) is not a text")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ServiceAccountError(member: name, description: "the member \(name) is empty")
        }
        if let longest, text.utf8.count > longest || !text.utf8.allSatisfy(\.isPrintable) {
            throw ServiceAccountError(
                member: name, description: "the member \(name) is not 1 to \(longest) printable characters")
        }
        return text
    }
}

extension ServiceAccount: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the account, without its key.
    public var description: String { "service account \(clientEmail)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Shows nothing, so that no dump has the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
