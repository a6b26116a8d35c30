import FoundationEssentials
import Logging
import NIOCore
import Synchronization

/// The state that all connections share.
final class SandboxCore: Sendable {
    private struct State {
        var maximumStreams: Int
        var refusal: (end: NIODeadline, manner: SandboxRefusal.Manner)?
        /// All sockets, including those in their TLS handshake.
        var sockets: [ObjectIdentifier: any Channel] = [:]
        var isStopped = false
        var connections: [Int: any Channel] = [:]
        var lastConnection = 0
        var origin = ""
    }

    let configuration: SandboxConfiguration
    let logger: Logger
    let journal: Journal
    let check: RequestCheck
    let tokens = TokenEnvironments()
    let google: GoogleService?
    let webPush: WebPushService?
    private let rules: Mutex<RuleBook>
    private let state: Mutex<State>

    var control: ControlEndpoint { ControlEndpoint(core: self) }

    init(configuration: SandboxConfiguration, logger: Logger) throws(SandboxError) {
        self.configuration = configuration
        self.logger = logger
        journal = Journal(capacity: configuration.logCapacity)
        check = RequestCheck(
            verifier: try ProviderTokenVerifier(configuration: configuration), topics: configuration.topics,
            expiredTokenSticks: configuration.expiredTokenSticksToConnection, tokens: tokens)
        // Not `map`, which would lose the error's type.
        if let standIn = configuration.google { google = try GoogleService(standIn) } else { google = nil }
        webPush = configuration.webPush ? WebPushService() : nil
        rules = Mutex(RuleBook(seed: configuration.seed))
        state = Mutex(State(maximumStreams: Self.streamLimit(configuration.maximumStreams)))
    }

    var routes: CarrierRoutes { CarrierRoutes(google: google != nil, webPush: webPush != nil) }

    /// The address that clients are told, `https://HOST:PORT`; empty until the sandbox listens.
    var origin: String {
        get { state.withLock { $0.origin } }
        set { state.withLock { $0.origin = newValue } }
    }

    private static func streamLimit(_ count: Int) -> Int {
        min(max(count, 0), SandboxScript.largestStreamLimit)
    }

    // MARK: Rules

    var ruleEntries: [RuleBook.Entry] { rules.withLock { $0.entries } }

    /// The rule that hits the request of this entry.
    func strike(_ entry: ReceivedNotification) -> SandboxRule? {
        rules.withLock { $0.strike(entry.token, at: entry.environment, of: entry.carrier) }
    }

    func withRules<Result>(_ body: (inout RuleBook) -> Result) -> Result where Result: Sendable {
        rules.withLock { body(&$0) }
    }

    /// Applies a script.
    ///
    /// Commands go to all connections except `exception`, which sent it.
    func apply(_ script: SandboxScript, except exception: Int? = nil) {
        rules.withLock { rules in
            if script.clearsRules { rules.removeAll() }
            if let seed = script.seed { rules.reseed(seed) }
            for rule in script.rules { rules.add(rule) }
        }
        for token in script.tokens { tokens.set(token) }
        if let count = script.maximumStreams { setMaximumStreams(count) }
        if let refusal = script.refusal { refuse(refusal) }
        if let goAway = script.goAway { broadcast(.goAway(goAway), except: exception) }
        if script.closesConnections { broadcast(.close, except: exception) }
    }

    func setMaximumStreams(_ count: Int) {
        let count = Self.streamLimit(count)
        state.withLock { $0.maximumStreams = count }
        broadcast(.maximumStreams(count))
    }

    // MARK: Connections

    var maximumStreams: Int { state.withLock { $0.maximumStreams } }

    /// The number of open connections, and of all there have been.
    var connectionCounts: (open: Int, total: Int) {
        state.withLock { ($0.connections.count, $0.lastConnection) }
    }

    /// Tracks a socket until it closes.
    ///
    /// Returns false if the sandbox has stopped.
    func admit(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let isWelcome = state.withLock { state in
            if !state.isStopped { state.sockets[key] = channel }
            return !state.isStopped
        }
        if isWelcome {
            channel.closeFuture.whenComplete { [weak self] _ in
                _ = self?.state.withLock { $0.sockets.removeValue(forKey: key) }
            }
        }
        return isWelcome
    }

    /// Ends admission.
    ///
    /// Returns the HTTP/2 connections, which take commands, and the other sockets.
    func stopAdmission() -> (connections: [any Channel], silent: [any Channel]) {
        state.withLock { state in
            state.isStopped = true
            let connections = Array(state.connections.values)
            let told = Set(connections.map { ObjectIdentifier($0) })
            return (connections, state.sockets.filter { !told.contains($0.key) }.map(\.value))
        }
    }

    func broadcast(_ command: ConnectionCommand, except exception: Int? = nil) {
        let channels = state.withLock { $0.connections.filter { $0.key != exception }.map(\.value) }
        for channel in channels { channel.triggerUserOutboundEvent(command, promise: nil) }
    }

    /// Registers an HTTP/2 connection.
    ///
    /// Returns its number and its stream limit.
    func connectionBegan(_ channel: any Channel) -> (number: Int, limit: StreamLimit) {
        let (number, ceiling) = state.withLock { state in
            state.lastConnection += 1
            state.connections[state.lastConnection] = channel
            return (state.lastConnection, state.maximumStreams)
        }
        let limit = StreamLimit(
            ceiling: ceiling, waitsForSuccess: configuration.oneStreamUntilFirstSuccess,
            refusalsUntilOne: configuration.refusalsUntilOneStream)
        return (number, limit)
    }

    func connectionEnded(_ number: Int) {
        state.withLock { _ = $0.connections.removeValue(forKey: number) }
    }

    func refuse(_ refusal: SandboxRefusal) {
        let end = NIODeadline.now() + TimeAmount(refusal.duration)
        state.withLock { $0.refusal = refusal.duration > .zero ? (end, refusal.manner) : nil }
    }

    /// How a new connection is refused now; nil if it is accepted.
    func currentRefusal() -> SandboxRefusal.Manner? {
        state.withLock { state in
            guard let refusal = state.refusal else { return nil }
            if refusal.end > .now() { return refusal.manner }
            state.refusal = nil
            return nil
        }
    }
}
