public import APNs
public import Carriers
public import Clocks
import Kaspa
public import Logging
import Policy
public import ServiceLifecycle
public import Store

/// Rings phones by VoIP pushes, each tried once: a second one would be a missed call on the phone.
///
/// Nothing of it is kept over a restart. What waits is bounded, and what has waited for too long is given up.
public final class Ringer: Service {
    /// Calls that wait for their turn; more are refused.
    public static let waitingCalls = 256
    /// VoIP pushes that are on their way at a time.
    static let inFlightPushes = 64
    /// A call older than this rings nobody any more.
    static let patience = Duration.seconds(30)

    /// Whether a call was taken.
    public enum Answer: Equatable, Sendable {
        /// For so many devices; 0 where nobody is to be rung.
        case queued(Int)
        /// Too many calls wait.
        case busy
    }

    private struct Call: Sendable {
        let ring: Ring
        let devices: [DeviceID]
        let askedAt: ContinuousClock.Instant
    }

    private let store: Store
    private let sender: any NotificationSender
    private let signer: PushSigner?
    private let clock: ServiceClock
    private let logger: Logger
    private let instruments = PushInstruments()
    private let calls = AsyncStream.makeStream(of: Call.self, bufferingPolicy: .bufferingOldest(waitingCalls))
    /// The devices that are being rung: an unregister waits for the last push.
    public let inFlight = InFlightDevices()

    /// Makes a ringer that sends nothing before `run()`; without a `signer` its pushes are not signed.
    public init(
        store: Store, sender: any NotificationSender, signer: PushSigner? = nil, clock: ServiceClock, logger: Logger
    ) {
        self.store = store
        self.sender = sender
        self.signer = signer
        self.clock = clock
        self.logger = logger
    }

    /// Takes a call for every device of the callee's that can be rung, but for `caller`, the device that asks.
    ///
    /// Errors: `StoreError`.
    public func ring(_ ring: Ring, from caller: DeviceID) async throws(StoreError) -> Answer {
        // Only a wallet binds devices to itself: what a stranger registers under its address does not ring.
        let bound = try await store.registry.devices(ofWallet: ring.callee).sorted { $0.lastSeen > $1.lastSeen }
        // A phone whose token for notifications was renewed may be registered twice; it rings once.
        var rung: Set<[UInt8]> = []
        if let own = try await store.registry.device(caller)?.voipToken { rung.insert(own) }
        let devices = bound.filter { device in
            let rings = PushPolicy.rings.decide(Callee(device, called: ring.callee, by: caller, rung: rung))
            if rings { rung.insert(device.voipToken) }
            return rings
        }
        guard !devices.isEmpty else { return .queued(0) }
        let call = Call(ring: ring, devices: devices.map(\.id), askedAt: .now)
        guard case .enqueued = calls.continuation.yield(call) else { return .busy }
        return .queued(devices.count)
    }

    /// Sends until a graceful shutdown or cancellation; what waits then is forgotten.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                var running = 0
                for await call in self.calls.stream {
                    for device in call.devices {
                        if running >= Ringer.inFlightPushes {
                            await group.next()
                            running -= 1
                        }
                        running += 1
                        group.addTask { await self.ring(device, call) }
                    }
                }
            }
        }
    }

    private func ring(_ id: DeviceID, _ call: Call) async {
        while !inFlight.begin(id) { await inFlight.waitUntilIdle(id) }
        defer { inFlight.end(id) }
        do throws(StoreError) {
            // Read when nothing else can end before it: what was unregistered since is not rung.
            guard let device = try await store.registry.device(id), !device.voipToken.isEmpty,
                device.walletAddress == call.ring.callee
            else { return }
            guard ContinuousClock.now - call.askedAt < Ringer.patience else { return instruments.ring(.tooLate) }
            let token = Hex.encode(device.voipToken)
            let (host, mayTryOther) = device.environment.route
            let outcome = await sender.send(
                APNsRequest(
                    voipToken: token, payload: notification(of: call.ring, to: token),
                    id: NotificationID.make(
                        network: "ring", transactionID: call.ring.callID, deviceToken: token), host: host,
                    mayTryOtherHost: mayTryOther))
            try await note(outcome, device)
        } catch {
            logger.error("push.ring.store_failed", metadata: ["error.message": "\(error.message)"])
        }
    }

    private func notification(of ring: Ring, to token: String) -> [UInt8] {
        var notification = ring.notification(at: clock.present())
        signer?.sign(
            &notification, endingObjects: 1, limit: APNsRequest.Kind.voip.applePayloadLimit,
            PushStatement(
                transactionID: ring.callID, type: ring.kind.rawValue, sender: ring.caller.description, seq: nil,
                deviceToken: token))
        return notification
    }

    /// A token that Apple calls dead is forgotten, unless it was registered again after that; the device stays.
    private func note(_ outcome: APNsOutcome, _ device: DeviceRecord) async throws(StoreError) {
        switch outcome {
        case .delivered: instruments.ring(.delivered)
        case .deliveredByOtherHost(_, let host):
            instruments.ring(.delivered)
            try await store.registry.noteEnvironment(DeviceRecord.Environment(host), of: device.id)
        case .tokenInvalid(.badDeviceToken), .tokenInvalid(.unregistered), .tokenInvalid(.expiredToken),
            .tokenGone(_, timestampMilliseconds: device.lastSeen...):
            instruments.ring(.deadToken)
            try await store.registry.forgetVoIPToken(device.voipToken, of: device.id)
        default:
            instruments.ring(.failed)
            logger.info(
                "push.ring.failed", metadata: ["device": "\(device.id)", "reason": "\(outcome.reasonLabel)"])
        }
    }
}
