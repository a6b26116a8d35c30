import DequeModule
import NIOCore
import Synchronization

/// Limits how many connections are served at once, in all and for one client.
///
/// Further ones wait in order. A connection without a request in progress is idle. Idle connections are closed to make
/// room. For a client at its own limit, that is one of its own; for waiting connections, one of the client that has the
/// most.
///
/// The server has its own limit too (`availableConnectionsDelegate`). It stops accepting, which bounds the open
/// descriptors, but it knows neither clients nor idle connections.
final class ConnectionAdmission: Sendable {
    /// Connections that one client may have however small `maximum` is.
    static let leastPerClient = 32

    /// What happens to a new connection.
    enum Entry { case admitted, waiting, refused }

    /// A connection, as its handler describes it.
    struct Connection: Sendable {
        let id: ObjectIdentifier
        /// The client: an IPv4 address or an IPv6 /64; nil for one without a limit of its own.
        let client: [UInt8]?
        let eventLoop: any EventLoop
        /// Called on the event loop when a waiting connection is admitted.
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
        /// Its idle connections, each with a rising number: the smallest has been idle for longest.
        var idle: [ObjectIdentifier: UInt64] = [:]

        var longestIdle: ObjectIdentifier? { idle.min { $0.value < $1.value }?.key }
    }

    fileprivate struct State {
        var admitted = 0
        /// Connections that were told to close and have not closed yet.
        var closing = 0
        var members: [ObjectIdentifier: Member] = [:]
        var clients: [[UInt8]: Client] = [:]
        /// Waiting connections, in the order in which they came.
        var waiting: Deque<ObjectIdentifier> = []
        var lastIdle: UInt64 = 0
    }

    private let maximum: Int
    private let perClient: Int
    private let state = Mutex(State())

    /// `maximum` is at least 1.
    ///
    /// One client may have a quarter of it, or `leastPerClient`.
    init(maximum: Int) {
        self.maximum = maximum
        perClient = max(ConnectionAdmission.leastPerClient, maximum / 4)
    }

    /// The number of admitted and of waiting connections.
    var counts: (admitted: Int, waiting: Int) { state.withLock { ($0.admitted, $0.waiting.count) } }

    /// Whether more connections wait than are closing.
    var needsRoom: Bool { state.withLock { $0.waiting.count > $0.closing } }

    /// Registers a new connection.
    ///
    /// If it must wait, its `admit` is called later.
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

    /// Records that a request has begun on an admitted connection.
    func requestBegan(_ id: ObjectIdentifier) {
        // If it was about to close, it stays open, and another one closes instead.
        let closing = state.withLock { state in state.setBusy(id) ? state.closeForWaiting() : nil }
        closing.map(ConnectionAdmission.tell)
    }

    /// Records that no request is in progress.
    ///
    /// Returns whether the connection must close now.
    func requestsEnded(_ id: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.setIdle(id)
            return state.waiting.count > state.closing && state.beginClosing(id) != nil
        }
    }

    /// Records that a connection has closed, whether admitted or waiting.
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

    /// Returns whether it was about to close.
    fileprivate mutating func setBusy(_ id: ObjectIdentifier) -> Bool {
        guard let member = members[id], member.state != .waiting else { return false }
        if member.state == .closing { closing -= 1 }
        members[id]?.state = .busy
        clients[member.connection.client ?? []]?.idle[id] = nil
        return member.state == .closing
    }

    /// Marks an idle connection as closing.
    fileprivate mutating func beginClosing(_ id: ObjectIdentifier) -> ConnectionAdmission.Connection? {
        guard let member = members[id], member.state == .idle else { return nil }
        members[id]?.state = .closing
        clients[member.connection.client ?? []]?.idle[id] = nil
        closing += 1
        return member.connection
    }

    /// The idle connection to close if more wait than are closing: the one idle for longest of the client that has the
    /// most connections.
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
