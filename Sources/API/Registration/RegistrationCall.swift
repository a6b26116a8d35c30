import Logging

/// A call about registrations while it is checked.
final class RegistrationCall {
    /// For metrics and logs.
    let name: String
    let method: String
    let path: String
    let body: RegistrationRequest
    let logger: Logger
    /// Counts a device that is not registered yet against its limits: 429 or 503.
    let admitNewDevice: () throws -> Void
    /// Whether its signatures hold: then it counts against its wallet, else against the client's address.
    var isProven = false

    init(
        name: String, method: String, path: String, body: RegistrationRequest, logger: Logger,
        admitNewDevice: @escaping () throws -> Void
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.body = body
        self.logger = logger
        self.admitNewDevice = admitNewDevice
    }

    /// What a call signs that has no lists.
    func content(token: [UInt8]?) -> SignedContent {
        SignedContent(method: method, path: path, token: token)
    }
}
