public import Carriers
public import Clocks
import Dispatch
public import Logging
import ServiceLifecycle
public import Store
import HTTP2Client
import Synchronization
import Troubles

/// Brings pushes to browsers, and to apps with UnifiedPush.
///
/// Each origin has connections of its own, made when they are first needed. An origin that refuses our credentials is
/// held back alone.
public final class WebPushCarrier: Carrier {
    /// One in this many of the capacity is the most for one origin.
    static let originShare = 2
    /// How long a push waits when there is no room for another origin.
    static let crowdedPause = Duration.seconds(1)
    /// How often idle origins are looked for.
    static let sweepInterval = Duration.seconds(60)

    /// Makes what sends to one origin over so many connections.
    typealias Connect = @Sendable (_ connections: Int, HTTP2Settings, Logger) -> OriginTransport

    let configuration: WebPushConfiguration
    let message: WebPushMessage
    let tokens: VAPIDTokens
    let clock: MachineClock
    let logger: Logger
    let connect: Connect
    let origins: Mutex<OriginTable<OriginTransport>>
    /// Where messages are sealed, several at a time.
    let sealing = DispatchQueue(label: "kasia.web-push.sealing", attributes: .concurrent)
    /// Senders that stop.
    let stops = OwnedTasks()
    /// What the log has of origins that refuse our credentials, and of those that cannot be reached.
    let refusals = SharedTrouble()
    let failures = SharedTrouble()
    /// Endpoints that are being asked whether they speak UnifiedPush.
    let checks = Atomic(0)

    /// Creates a carrier; nothing is connected yet.
    ///
    /// `signer` signs the messages; nil: nobody. `clock` shows the most likely time, which tokens bear. Throws the
    /// operator's mistake, naming the field.
    public convenience init(
        configuration: WebPushConfiguration, signer: PushSigner? = nil, clock: MachineClock = .system, logger: Logger
    ) throws(WebPushConfigurationError) {
        if let problem = CurlLibrary.problem {
            throw WebPushConfigurationError(field: "connections", message: "cannot be opened: \(problem)")
        }
        try self.init(configuration: configuration, signer: signer, clock: clock, logger: logger) {
            OriginTransport(connections: $0, settings: $1, logger: $2)
        }
    }

    /// Creates a carrier that sends by what `connect` makes.
    init(
        configuration: WebPushConfiguration, signer: PushSigner? = nil, clock: MachineClock, logger: Logger,
        connect: @escaping Connect
    ) throws(WebPushConfigurationError) {
        try configuration.validate()
        self.connect = connect
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        message = WebPushMessage(maximumPayloadBytes: configuration.maximumPayloadBytes, signer: signer)
        tokens = VAPIDTokens(key: configuration.key, subject: configuration.subject, clock: clock)
        origins = Mutex(OriginTable(maximumOrigins: configuration.maximumOrigins))
    }

    /// Web Push.
    public var name: CarrierName { .webPush }

    /// The most pushes on their way at once.
    public var capacity: Int { configuration.capacity }

    /// The operator's public key in base64url, which a page needs to subscribe.
    public var publicKeyText: String { configuration.key.publicKeyText }

    /// The endpoint's origin, which a stranger may have chosen.
    public func destination(of device: DeviceTarget) -> CarrierDestination? {
        guard let endpoint = try? Endpoint(token: device.token) else { return nil }
        return CarrierDestination(name: endpoint.origin, share: WebPushCarrier.originShare)
    }

    /// Why an endpoint cannot be registered, in the rest of a sentence that begins with its name; nil when it can.
    public func refusal(of endpoint: String) -> String? {
        do {
            let isAllowed = configuration.allowedOrigins.allows(try Endpoint(endpoint)) != nil
            return isAllowed ? nil : "is at none of the push services that this server allows"
        } catch {
            return error.description
        }
    }

    /// Which origins refuse our credentials, in a sentence without a full stop; nil if none does.
    public var trouble: String? {
        let heldBack = origins.withLock { $0.heldBack }
        guard let first = heldBack.first else { return nil }
        let who = heldBack.count == 1 ? "\(first) refuses" : "\(first) and \(heldBack.count - 1) more refuse"
        return "\(who) the VAPID key or token: look at web_push.* and at this machine's clock"
    }

    /// Closes what is not needed any more, until the end.
    ///
    /// A graceful shutdown takes nothing new, and lets what is in flight finish for at most `drainTimeout`; a
    /// cancellation gives it up at once.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { [stops] in await stops.run() }
            let drainTimeout = await waitForShutdown()
            await withDiscardingTaskGroup { group in
                for sender in origins.withLock({ $0.close() }) {
                    group.addTask { await sender.stop(drainTimeout) }
                }
            }
            stops.close()
        }
    }

    /// Stops idle senders until the end; returns how long what is in flight may take then.
    private func waitForShutdown() async -> Duration {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                while (try? await Task.sleep(for: WebPushCarrier.sweepInterval)) != nil { stopIdle() }
            }
            defer { group.cancelAll() }
            do {
                try await gracefulShutdown()
                return configuration.drainTimeout
            } catch {
                return .zero
            }
        }
    }

    /// Stops the senders that were not used for long.
    func stopIdle() {
        for sender in origins.withLock({ $0.takeIdle(at: clock.uptime()) }) { stop(sender) }
    }

    /// Has an idle sender's connections closed.
    func stop(_ sender: OriginTransport) {
        _ = stops.add { [self] in
            await sender.stop(.zero)
            origins.withLock { $0.stopped() }
        }
    }

    /// The rules of all connections to one origin.
    func settings(for origin: String) -> HTTP2Settings {
        var settings = HTTP2Settings(
            service: "WebPush", origin: origin, certificateAuthorityPath: configuration.certificateAuthorityPath,
            streams: configuration.streams, connectTimeout: configuration.connectTimeout,
            firstByteTimeout: configuration.requestTimeout, requestTimeout: configuration.requestTimeout,
            answerFields: WebPushAnswer.fields)
        settings.provesConnections = false
        settings.mayBegin = configuration.mayBegin
        settings.addresses = configuration.allowsPrivateAddresses ? .any : .publicOnly
        settings.resolve = configuration.resolve
        return settings
    }

    /// For connections: strangers choose where they lead, and must not fill the log.
    var connectionLogger: Logger {
        var logger = logger
        if logger.logLevel > .debug { logger.logLevel = max(logger.logLevel, .error) }
        return logger
    }
}
