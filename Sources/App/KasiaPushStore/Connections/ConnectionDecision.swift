/// How the wallet treats a method; an app gives its own list of what it is capable of.
public enum MethodPolicy: String, Sendable, Codable, CaseIterable {
    /// Anybody is answered, such as for the network's name.
    case open
    /// Whoever is not connected yet is asked about; who is connected is answered.
    case connect
    /// Who was granted the method is answered.
    case granted
    /// Who was granted the method is answered after the user has agreed, each time, such as to sign.
    case approved
}

/// What the wallet does with a request.
public enum ConnectionDecision: Hashable, Sendable {
    /// Answer for this address; nil when nobody is connected and the method is open.
    case answer(address: String?)
    /// Ask the user: to connect when the address is nil, else to agree for this address.
    case ask(address: String?)
    /// Refuse with this code.
    case refuse(code: Int)

    /// "Unauthorized" in EIP-1193: the user has not granted the method or the account.
    public static let unauthorized = 4_100

    /// Decides without I/O.
    ///
    /// - Parameters:
    ///   - method: What is asked for; one that the app is not capable of is refused.
    ///   - capabilities: What the app is capable of, by method.
    ///   - connection: The asker's connection; nil when there is none.
    public init(_ method: String, capabilities: [String: MethodPolicy], connection: PeerConnection?) {
        let isGranted = connection?.methods.contains(method) ?? false
        self =
            switch capabilities[method] {
            case .open: .answer(address: connection?.address)
            case .connect: connection.map { .answer(address: $0.address) } ?? .ask(address: nil)
            case .granted where isGranted: .answer(address: connection?.address)
            case .approved where isGranted: .ask(address: connection?.address)
            case .granted, .approved, nil: .refuse(code: ConnectionDecision.unauthorized)
            }
    }
}
