public import Kaspa
public import ServiceLifecycle
public import Store

/// Who brings pushes to devices of one kind: Apple, Google, or whichever service a browser has chosen.
///
/// A carrier knows its requests, its credentials, and what its answers mean. It is a service: it sends while it runs.
/// Everything that must not be lost is the dispatcher's.
public protocol Carrier: Service {
    /// Its name in the store, in logs and in metrics.
    var name: CarrierName { get }
    /// The most pushes that may be on their way at once, those among them that wait for a stream.
    var capacity: Int { get }

    /// Where a push to this device goes, if that is the device's choice; nil: to the carrier's own place.
    func destination(of device: DeviceTarget) -> CarrierDestination?

    /// Sends a push. Calls `ended` once with the outcome, on any thread, perhaps before this returns.
    func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void)

    /// Runs `body`, which sends several pushes: they may leave when it ends, together.
    func together(_ body: () -> Void)
}

extension Carrier {
    /// Each leaves when it is sent.
    public func together(_ body: () -> Void) { body() }

    /// The capacity of a carrier with so many streams on all of its connections.
    ///
    /// Up to a hundred more than that wait for a stream: one that becomes free has its next push at once, and not only
    /// after the dispatcher's next turn.
    public static func capacity(streams: Int) -> Int { streams + min(streams, 100) }

    /// All pushes go to one place.
    public func destination(of device: DeviceTarget) -> CarrierDestination? { nil }

    /// Sends a push and waits for the outcome, even if the task is cancelled.
    public func send(_ push: OutgoingPush) async -> SendOutcome {
        await withCheckedContinuation { continuation in
            send(push) { continuation.resume(returning: $0) }
        }
    }
}

/// One of several places that a carrier sends to.
///
/// One that does not answer holds no more than its share, so that the others go on. A device names it, so what it says
/// about our credentials says nothing about them elsewhere.
public struct CarrierDestination: Hashable, Sendable {
    /// Which one: the same text for the same place.
    public var name: String
    /// One in this many of the carrier's capacity is the most that may be on its way there; at least 1.
    public var share: Int

    /// Takes the place and its share.
    public init(name: String, share: Int) {
        self.name = name
        self.share = share
    }
}

/// A delivery whose turn it is, with all that a carrier needs to make a request of it.
public struct OutgoingPush: Sendable {
    /// What is told.
    public var delivery: Delivery
    /// To whom.
    public var device: DeviceTarget
    /// The transaction's payload, which `delivery.omitsPayload` keeps out of the push.
    public var payload: OperationPayload
    /// Whose addresses and transactions these are.
    public var network: Network
    /// Until when the carrier shall keep trying, UNIX seconds.
    public var expiration: UInt64
    /// Whether the carrier has never accepted a push for this token.
    ///
    /// A stranger may have made it up, or have made it of keys that are not ours.
    public var isOnProbation: Bool

    /// Takes the parts as they are.
    public init(
        delivery: Delivery, device: DeviceTarget, payload: OperationPayload, network: Network, expiration: UInt64,
        isOnProbation: Bool
    ) {
        self.delivery = delivery
        self.device = device
        self.payload = payload
        self.network = network
        self.expiration = expiration
        self.isOnProbation = isOnProbation
    }
}
