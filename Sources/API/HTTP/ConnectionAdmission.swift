import DequeModule
import NIOCore
import Synchronization

/// Limits how many connections are served at once, in all and for one client; further ones wait in their order.
///
/// A connection without a request in progress is idle. Idle connections are closed to make room: for a client at its own
/// limit, one of its own; for those that wait, one of the client that has the most.
///
/// The server's own limit (`availableConnectionsDelegate`) stays beside it. It stops accepting, which bounds the open
/// descriptors, but it knows neither clients nor idle connections.
final class ConnectionAdmission: Sendable {
    /// Connections that one client may have in any case, beside a small `maximum`.
    static let leastPerClient = 32

    /// What happens to a new connection.
    enum Entry { case admitted, waiting, refused }

    /// A connection, as its handler describes it.
    struct Connection: Sendable {
        let id: ObjectIdentifier
        /// Who is at the other end: an IPv4 address or an IPv6 /64; nil for whom no limit of its own holds.
        let client: [UInt8]?
        let eventLoop: any EventLoop
        /// Called on the event loop when a connection that waited is served.
        let admit: @Sendable () -> Void
        /// Called on the event loop when an idle connection has to make room.
        let closeIfIdle: @Sendable () -> Void
    }

    fileprivate struct Member {
        enum State { case waiting, busy, idle, closing }

        let connection: Connection
        var state: State
    }

    fileprivate struct Client {
        var count = 0
        /// Its idle connections, each with the number of its becoming idle: the smallest is idle for longest.
        var idle: [ObjectIdentifier: UInt64] = [:]

        var longestIdle: ObjectIdentifier? { idle.min { $0.value < $1.value }?.key }
    }

    fileprivate struct State {
        var admitted = 0
        /// Connections that were told to close and have not closed yet.
        var closing = 0
        var members: [ObjectIdentifier: Member] = [:]
        var clients: [[UInt8]: Client] = [:]
        /// Connections that wait, in the order in which they came.
        var waiting: Deque<ObjectIdentifier> = []
        var lastIdle: UInt64 = 0
    }

    private let maximum: Int
    private let perClient: Int
    private let state = Mutex(State())

    /// `maximum` is at least 1; one client may have a quarter of it, or `leastPerClient`.
    init(maximum: Int) {
        self.maximum = maximum
        perClient = max(ConnectionAdmission.leastPerClient, maximum / 4)
    }

    /// Connections that are served, and those that wait.
    var counts: (admitted: Int, waiting: Int) { state.withLock { ($0.admitted, $0.waiting.count) } }

    /// Whether more connections wait than are closing for them.
    var needsRoom: Bool { state.withLock { $0.waiting.count > $0.closing } }

    /// If the connection has to wait, its `admit` is called later.
    func connectionOpened(_ connection: Connection) -> Entry {
        let (entry, closing) = state.withLock { state -> (Entry, Connection?) in
            var closing: Connection?
            let client = state.clients[connection.client ?? []]
            if connection.client != nil, let client, client.count >= perClient {
                guard let idle = client.longestIdle else { return (.refused, nil) }
                closing = state.beginClosing(idle)
            }
            state.clients[connection.client ?? [], default: Client()].count += 1
            guard state.admitted >= maximum else {
                state.admitted += 1
                state.members[connection.id] = Member(connection: connection, state: .busy)
                state.setIdle(connection.id)
                return (.admitted, closing)
            }
            state.members[connection.id] = Member(connection: connection, state: .waiting)
            state.waiting.append(connection.id)
            return (.waiting, closing ?? state.closeForWaiting())
        }
        closing.map(ConnectionAdmission.tell)
        return entry
    }

    /// A request has begun on a connection that is served.
    func requestBegan(_ id: ObjectIdentifier) {
        // One that was to close stays after all; another has to.
        let closing = state.withLock { state in state.setBusy(id) ? state.closeForWaiting() : nil }
        closing.map(ConnectionAdmission.tell)
    }

    /// No request is in progress any more; returns whether the connection has to close at once.
    func requestsEnded(_ id: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.setIdle(id)
            return state.waiting.count > state.closing && state.beginClosing(id) != nil
        }
    }

    /// The connection has closed, whether it was served or waited.
    func connectionClosed(_ id: ObjectIdentifier) {
        let next: Connection? = state.withLock { state in
            guard let member = state.remove(id) else { return nil }
            guard member.state != .waiting else {
                state.waiting.removeAll { $0 == id }
                return nil
            }
            guard !state.waiting.isEmpty else {
                state.admitted -= 1
                return nil
            }
            let next = state.waiting.removeFirst()
            state.members[next]?.state = .busy
            state.setIdle(next)
            return state.members[next]?.connection
        }
        next.map { next in next.eventLoop.execute { next.admit() } }
    }

    private static func tell(_ closing: Connection) {
        closing.eventLoop.execute { closing.closeIfIdle() }
    }
}

extension ConnectionAdmission.State {
    fileprivate mutating func setIdle(_ id: ObjectIdentifier) {
        guard let member = members[id], member.state == .busy else { return }
        lastIdle += 1
        members[id]?.state = .idle
        clients[member.connection.client ?? []]?.idle[id] = lastIdle
    }

    /// Returns whether it was to close.
    fileprivate mutating func setBusy(_ id: ObjectIdentifier) -> Bool {
        guard let member = members[id], member.state != .waiting else { return false }
        if member.state == .closing { closing -= 1 }
        members[id]?.state = .busy
        clients[member.connection.client ?? []]?.idle[id] = nil
        return member.state == .closing
    }

    /// Marks an idle connection as one that closes.
    fileprivate mutating func beginClosing(_ id: ObjectIdentifier) -> ConnectionAdmission.Connection? {
        guard let member = members[id], member.state == .idle else { return nil }
        members[id]?.state = .closing
        clients[member.connection.client ?? []]?.idle[id] = nil
        closing += 1
        return member.connection
    }

    /// If more wait than are closing: the connection that is to close, of the client that has the most the one that has
    /// been idle for longest.
    ///
    /// Trusted proxies, which have no limit of their own, come last.
    fileprivate mutating func closeForWaiting() -> ConnectionAdmission.Connection? {
        guard waiting.count > closing else { return nil }
        let crowd = clients.filter { !$0.value.idle.isEmpty }
            .max { ($0.key.isEmpty ? 0 : $0.value.count) < ($1.key.isEmpty ? 0 : $1.value.count) }
        return crowd?.value.longestIdle.flatMap { beginClosing($0) }
    }

    fileprivate mutating func remove(_ id: ObjectIdentifier) -> ConnectionAdmission.Member? {
        guard let member = members.removeValue(forKey: id) else { return nil }
        if member.state == .closing { closing -= 1 }
        let client = member.connection.client ?? []
        clients[client]?.idle[id] = nil
        clients[client]?.count -= 1
        if clients[client]?.count == 0 { clients[client] = nil }
        return member
    }
}
