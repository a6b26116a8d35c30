import NIOCore
import Synchronization

/// Lets so many connections be read at once, and so many of one client; the next wait, in the order of their coming,
/// until one ends.
///
/// A connection on which no request is in progress is idle. Idle ones give way: to a client that has reached its own
/// limit, one of its own; to whoever waits, one of the client that has the most connections. The server's own limit
/// counts a connection only once its event loop has set it up, and lets a few more in meanwhile: this one is exact.
final class ConnectionAdmission: Sendable {
    /// Connections that one client may have in any case, beside a small `maximum`.
    static let leastPerClient = 32

    /// What becomes of a connection that comes.
    enum Entry { case admitted, waiting, refused }

    /// A connection, as its handler describes it.
    struct Connection: Sendable {
        let id: ObjectIdentifier
        /// Who is at the other end: an IPv4 address or an IPv6 /64; nil for whom no limit of its own holds.
        let client: [UInt8]?
        let eventLoop: any EventLoop
        /// Called on the event loop when a connection that waits is let in.
        let admit: @Sendable () -> Void
        /// Called on the event loop when an idle connection has to give way.
        let giveWay: @Sendable () -> Void
    }

    fileprivate struct Member {
        enum State { case waiting, busy, idle, leaving }

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
        /// Connections that were asked to give way and have not ended yet.
        var leaving = 0
        var members: [ObjectIdentifier: Member] = [:]
        var clients: [[UInt8]: Client] = [:]
        var order: [ObjectIdentifier] = []
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

    /// Connections that are read, and those that wait for their turn.
    var counts: (admitted: Int, waiting: Int) { state.withLock { ($0.admitted, $0.order.count) } }

    /// Whether others wait for a place that nobody has begun to make.
    var isCrowded: Bool { state.withLock { $0.order.count > $0.leaving } }

    /// A connection has come; if it has to wait, its `admit` is called when it is let in.
    func enter(_ connection: Connection) -> Entry {
        let (entry, leaving) = state.withLock { state -> (Entry, Connection?) in
            var leaving: Connection?
            let client = state.clients[connection.client ?? []]
            if connection.client != nil, let client, client.count >= perClient {
                guard let idle = client.longestIdle else { return (.refused, nil) }
                leaving = state.sendAway(idle)
            }
            state.clients[connection.client ?? [], default: Client()].count += 1
            guard state.admitted >= maximum else {
                state.admitted += 1
                state.members[connection.id] = Member(connection: connection, state: .busy)
                state.setIdle(connection.id)
                return (.admitted, leaving)
            }
            state.members[connection.id] = Member(connection: connection, state: .waiting)
            state.order.append(connection.id)
            return (.waiting, leaving ?? state.makeRoom())
        }
        leaving.map(ConnectionAdmission.tell)
        return entry
    }

    /// A request begins on a connection that was let in.
    func begin(_ id: ObjectIdentifier) {
        // One that was to give way stays after all; another has to.
        let leaving = state.withLock { state in state.setBusy(id) ? state.makeRoom() : nil }
        leaving.map(ConnectionAdmission.tell)
    }

    /// No request is in progress any more; whether the connection has to give way at once.
    func end(_ id: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.setIdle(id)
            return state.order.count > state.leaving && state.sendAway(id) != nil
        }
    }

    /// The connection ended, whether it was let in or waited.
    func leave(_ id: ObjectIdentifier) {
        let next: Connection? = state.withLock { state in
            guard let member = state.remove(id) else { return nil }
            guard member.state != .waiting else {
                state.order.removeAll { $0 == id }
                return nil
            }
            guard !state.order.isEmpty else {
                state.admitted -= 1
                return nil
            }
            let next = state.order.removeFirst()
            state.members[next]?.state = .busy
            state.setIdle(next)
            return state.members[next]?.connection
        }
        next.map { next in next.eventLoop.execute { next.admit() } }
    }

    private static func tell(_ leaving: Connection) {
        leaving.eventLoop.execute { leaving.giveWay() }
    }
}

extension ConnectionAdmission.State {
    fileprivate mutating func setIdle(_ id: ObjectIdentifier) {
        guard let member = members[id], member.state == .busy else { return }
        lastIdle += 1
        members[id]?.state = .idle
        clients[member.connection.client ?? []]?.idle[id] = lastIdle
    }

    /// Whether it was to give way.
    fileprivate mutating func setBusy(_ id: ObjectIdentifier) -> Bool {
        guard let member = members[id], member.state != .waiting else { return false }
        if member.state == .leaving { leaving -= 1 }
        members[id]?.state = .busy
        clients[member.connection.client ?? []]?.idle[id] = nil
        return member.state == .leaving
    }

    /// Marks an idle connection as one that gives way.
    fileprivate mutating func sendAway(_ id: ObjectIdentifier) -> ConnectionAdmission.Connection? {
        guard let member = members[id], member.state == .idle else { return nil }
        members[id]?.state = .leaving
        clients[member.connection.client ?? []]?.idle[id] = nil
        leaving += 1
        return member.connection
    }

    /// If more wait than places are about to be free: the connection that gives way, idle for longest of the client that
    /// has the most.
    ///
    /// Those without a limit of their own, trusted proxies, come last.
    fileprivate mutating func makeRoom() -> ConnectionAdmission.Connection? {
        guard order.count > leaving else { return nil }
        let crowd = clients.filter { !$0.value.idle.isEmpty }
            .max { ($0.key.isEmpty ? 0 : $0.value.count) < ($1.key.isEmpty ? 0 : $1.value.count) }
        return crowd?.value.longestIdle.flatMap { sendAway($0) }
    }

    fileprivate mutating func remove(_ id: ObjectIdentifier) -> ConnectionAdmission.Member? {
        guard let member = members.removeValue(forKey: id) else { return nil }
        if member.state == .leaving { leaving -= 1 }
        let client = member.connection.client ?? []
        clients[client]?.idle[id] = nil
        clients[client]?.count -= 1
        if clients[client]?.count == 0 { clients[client] = nil }
        return member
    }
}
