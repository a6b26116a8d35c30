import Logging
import Push

/// A registration call while it is checked.
final class RegistrationCall {
    /// The call's name in metrics and logs.
    let name: String
    let method: String
    let path: String
    let body: RegistrationRequest
    let logger: Logger
    /// Counts a new device against its limits.
    ///
    /// Errors: 429 or 503.
    let admitNewDevice: () throws -> Void
    /// Whether its signatures are valid.
    ///
    /// Then it counts against its wallet, else against the client's address.
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

    /// The signed content of a call without lists.
    func content(token: DeviceToken?) -> SignedContent {
        marked(SignedContent(method: method, path: path, token: token))
    }

    /// The signed content of a register or update.
    func content(of registration: Registration) -> SignedContent {
        marked(SignedContent(method: method, path: path, registration: registration))
    }

    private func marked(_ content: SignedContent) -> SignedContent {
        var content = content
        content.isOfKachat = body.isOfKachat
        return content
    }
}
