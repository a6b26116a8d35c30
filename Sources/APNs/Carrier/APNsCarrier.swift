public import Carriers
import Kaspa
public import Store

/// Brings pushes to Apple's devices.
public struct APNsCarrier: Carrier {
    /// At most a quarter of the capacity is for the host that is not the operator's own.
    ///
    /// Anybody can name that host for a device, and while it does not answer, its notifications stay in flight for
    /// long.
    static let elsewhereShare = 4

    /// Who makes the requests.
    public let sender: any NotificationSender
    /// The most notifications in flight at once.
    public let capacity: Int
    private let encoder: NotificationEncoder
    private let own: APNsHost?

    /// Takes a sender.
    ///
    /// - Parameters:
    ///   - sender: Who makes the requests.
    ///   - capacity: The most notifications in flight at once, at least 1.
    ///   - environment: Which of Apple's hosts is the operator's own; nil: one server stands in for both.
    ///   - payloadFormat: The shape for devices that did not choose.
    ///   - maximumPayloadBytes: The longest `payload` string that goes into a notification, 1 to 3,500 bytes.
    ///   - signer: Who signs notifications; nil: nobody.
    public init(
        sender: any NotificationSender, capacity: Int, environment: DeviceRecord.Environment? = nil,
        payloadFormat: DeviceRecord.PayloadFormat = .kasia, maximumPayloadBytes: Int = 3_500,
        signer: PushSigner? = nil
    ) {
        self.sender = sender
        self.capacity = capacity
        own = environment?.host
        encoder = NotificationEncoder(
            defaultFormat: payloadFormat, maximumPayloadBytes: maximumPayloadBytes, signer: signer)
    }

    /// APNs.
    public var name: CarrierName { .apns }

    /// Runs the sender.
    public func run() async throws { try await sender.run() }

    /// The host of Apple's that is not the operator's own.
    public func destination(of device: DeviceTarget) -> CarrierDestination? {
        guard let own, let host = device.environment.route.host, host != own else { return nil }
        return CarrierDestination(name: host.label, share: APNsCarrier.elsewhereShare)
    }

    /// Sends a notification to the host that the device's token is good at.
    public func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void) {
        sender.send(request(push)) { ended(SendOutcome($0)) }
    }

    /// Has the sender send together.
    public func together(_ body: () -> Void) { sender.together(body) }

    private func request(_ push: OutgoingPush) -> APNsRequest {
        let (delivery, device) = (push.delivery, push.device)
        let token = Hex.encode(device.token)
        let transaction = delivery.transactionID.description
        let (host, mayTryOther) = device.environment.route
        return APNsRequest(
            deviceToken: token,
            payload: encoder.encode(push),
            id: NotificationID.make(
                network: push.network.description, transactionID: transaction, deviceToken: token,
                isCorrection: delivery.kind == .paymentReverted),
            collapseID: transaction, expiration: push.expiration, host: host, mayTryOtherHost: mayTryOther)
    }
}
