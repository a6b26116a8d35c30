public import Carriers
public import Clocks
import HTTP2Client
public import Logging
import ServiceLifecycle
public import Store
import Synchronization
import Troubles

/// Brings pushes to Android devices, by Google's Firebase Cloud Messaging, HTTP v1.
///
/// Connections are opened when they are needed. ``run()`` does whatever a push has to wait for, and closes the
/// connections in the end. A push that Google did not accept because of its access token is sent once more with another
/// one; every other outcome is the caller's to act on.
public final class FCMCarrier: Carrier {
    typealias Ended = @Sendable (SendOutcome) -> Void

    let configuration: FCMConfiguration
    let clock: MachineClock
    let logger: Logger
    let encoder: FCMMessageEncoder
    let transport: FCMTransport
    let makeTransport: FCMTransport.Factory
    let credentials: Mutex<Credentials>
    let isStopping = Atomic(false)
    private let rate: Mutex<MessageRate>
    /// What pushes wait for.
    let waits = OwnedTasks()
    /// What the log has of access tokens that cannot be renewed, and of devices that are not Android's.
    let renewalTrouble = SharedTrouble()
    let thirdPartyTrouble = SharedTrouble()

    /// Creates a carrier; nothing is connected yet.
    ///
    /// `signer` signs the messages; nil: nobody.
    ///
    /// - Throws: The operator's mistake, naming the field.
    public convenience init(
        configuration: FCMConfiguration, signer: PushSigner? = nil, clock: MachineClock = .system, logger: Logger
    ) throws(FCMConfigurationError) {
        if let problem = CurlLibrary.problem {
            throw FCMConfigurationError(field: "connections", message: "cannot be opened: \(problem)")
        }
        try self.init(
            configuration: configuration, signer: signer, clock: clock, logger: logger,
            transports: FCMTransport.connections(configuration, logger: logger))
    }

    /// One that sends by these transports.
    init(
        configuration: FCMConfiguration, signer: PushSigner? = nil, clock: MachineClock, logger: Logger,
        transports: @escaping FCMTransport.Factory
    ) throws(FCMConfigurationError) {
        try configuration.validate()
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        encoder = FCMMessageEncoder(maximumPayloadBytes: configuration.maximumPayloadBytes, signer: signer)
        makeTransport = transports
        transport = transports(configuration.endpoint, configuration.connections, configuration.streams)
        credentials = Mutex(Credentials(configuration.account, clock: clock, transports: transports))
        rate = Mutex(MessageRate(perMinute: configuration.messagesPerMinute, now: clock.uptime()))
    }

    /// FCM.
    public var name: CarrierName { .fcm }

    /// By the connections' streams.
    public var capacity: Int { FCMCarrier.capacity(streams: configuration.connections * configuration.streams) }

    /// Sends a push, unless as many were sent in the last minute as may be.
    public func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void) {
        guard !isStopping.load(ordering: .acquiring) else { return ended(.handedBack("shutting_down")) }
        if let pause = rate.withLock({ $0.take(now: clock.uptime()) }) { return ended(.rateLimited(pause)) }
        deliver(encoder.message(push, now: clock.wall() / 1_000).encoded(), ended)
    }

    /// Has the requests leave together.
    public func together(_ body: () -> Void) { transport.together(body) }

    /// Does what pushes wait for, until the end.
    ///
    /// A graceful shutdown takes nothing new, hands back what was not sent, and lets what is in flight finish for at
    /// most `drainTimeout`; a cancellation gives it up at once.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { [waits] in await waits.run() }
            var drainTimeout = configuration.drainTimeout
            do {
                try await gracefulShutdown()
            } catch {
                drainTimeout = .zero
            }
            isStopping.store(true, ordering: .releasing)
            let tokens = credentials.withLock { $0.transport }
            await transport.stop(drainTimeout)
            await tokens.stop(.zero)
            // Each push has had its last attempt: what still waits ends by itself.
            waits.close()
        }
    }
}
