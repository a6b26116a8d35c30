/// Subscriptions to the Web Push service.
extension APNsSandbox {
    /// Makes a subscription, as a browser does, and keeps its private key so that the journal can show what arrives.
    ///
    /// Call it after ``start()``: the endpoint names the port. It needs ``SandboxConfiguration/webPush``.
    ///
    /// - Parameters:
    ///   - id: The endpoint's last part, of 1 to 256 base64url characters; made up if nil. A subscription of this id is
    ///     replaced.
    ///   - applicationServerKey: The only sender's public key, 65 bytes in base64url; nil lets any sender send.
    /// - Returns: What a page would send to its server.
    public func makeSubscription(id: String? = nil, applicationServerKey: String? = nil) -> SandboxSubscription {
        guard let webPush = core.webPush else { preconditionFailure("the configuration's webPush is false") }
        precondition(id.map(Subscriptions.isID) ?? true, "the id is not 1 to 256 base64url characters")
        let key = applicationServerKey.map { Base64URL.decode($0) ?? [] }
        return webPush.subscriptions.make(id: id, origin: origin, applicationServerKey: key)
    }

    /// Ends a subscription, as its browser does: from now on its endpoint answers 410.
    ///
    /// Returns whether there was one.
    @discardableResult
    public func endSubscription(id: String) -> Bool {
        core.webPush?.subscriptions.end(id) ?? false
    }
}
