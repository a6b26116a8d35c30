import FoundationEssentials

/// The body with which a program asks the control endpoint for a subscription; it may be empty.
struct SubscriptionRequest: Decodable {
    let id: String?
    let applicationServerKey: [UInt8]?

    /// Reads the body.
    ///
    /// - Throws: ``SandboxError`` whose sentence says what is wrong.
    init(json: [UInt8]) throws(SandboxError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json.isEmpty ? Array("{}".utf8) : json))
        } catch let error as DecodingError where JSONScanner.faultPosition(in: json) == nil || json.isEmpty {
            throw SandboxError(.invalidScript, error.sentence(about: "The request"))
        } catch {
            throw SandboxError(.invalidScript, "The request is not valid JSON.")
        }
    }

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, keys: ["id", "application_server_key"])
        id = try object.value(String.self, "id")
        if let id, !Subscriptions.isID(id) {
            throw object.error("id", "must be 1 to 256 characters of A-Z, a-z, 0-9, - and _")
        }
        let key = try object.value(String.self, "application_server_key")
        applicationServerKey = key.flatMap(Base64URL.decode)
        if key != nil, applicationServerKey?.count != 65 {
            throw object.error("application_server_key", "must be 65 bytes in base64url")
        }
    }
}
