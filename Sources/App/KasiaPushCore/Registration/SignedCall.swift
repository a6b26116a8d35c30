/// The calls that a signature covers: their method and path are lines of the signed text.
public enum SignedCall: Sendable, CaseIterable {
    /// Registers a device: signs its lists.
    case register
    /// Changes a registration: signs its lists.
    case update
    /// Ends a registration: signs empty lists. A device key alone is enough.
    case unregister
    /// Asks what is registered: signs empty lists.
    case status
    /// Asks for missed pushes: signs empty lists.
    case missed
    /// Lists the wallet's devices: names no token, signs empty lists.
    case devices
    /// Ends all devices of the wallet: names no token, signs empty lists.
    case wallet
    /// Rings another wallet's phones: signs `SignedLists.ring(from:)`.
    case ring

    /// The method of the request.
    public var method: String {
        switch self {
        case .update: "PUT"
        case .unregister, .wallet: "DELETE"
        case .register, .status, .missed, .devices, .ring: "POST"
        }
    }

    /// The path of the request, without a query.
    public var path: String {
        let name =
            switch self {
            case .register: "register"
            case .update: "update"
            case .unregister: "unregister"
            case .status: "status"
            case .missed: "missed"
            case .devices: "devices"
            case .wallet: "wallet"
            case .ring: "ring"
            }
        return "/v1/push/\(name)"
    }

    /// Whether the call names a device; the others sign the hash of nothing.
    public var namesToken: Bool { self != .devices && self != .wallet }
}
