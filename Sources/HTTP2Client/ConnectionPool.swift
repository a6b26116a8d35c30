package import Logging
import Synchronization
import Troubles

/// A client's connections: a fixed number of places, each filled when it is first needed and again after a loss.
package final class ConnectionPool: Sendable {
    private struct Place {
        var connection: Connection?
        var pace = ReconnectPace()
    }

    /// A connection whose thread runs, and the place it was made for.
    private struct Running {
        var connection: Connection
        var place: Int
    }

    private struct State {
        var places: [Place]
        var lastNumber = 0
        /// By number; the retired ones too.
        var running: [Int: Running] = [:]
        var isClosed = false
        /// Headers of an earlier generation do not go out any more: another key has taken their key's place.
        var oldestGeneration = 0
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let settings: HTTP2Settings
    private let authority: String
    private let logger: Logger
    private let trouble = SharedTrouble()
    private let epoch = ContinuousClock.now
    private let state: Mutex<State>
    /// How many callers are inside `together`.
    private let bodies = Atomic(0)

    package init(connections: Int, settings: HTTP2Settings, logger: Logger) {
        self.settings = settings
        authority = settings.authority
        self.logger = logger
        state = Mutex(State(places: Array(repeating: Place(), count: connections)))
    }

    private var uptime: Duration { epoch.duration(to: .now) }

    /// Sends one request on the connection with the least to do; the exchange tells how it ended.
    ///
    /// What has not been sent at its `sendBy` is handed back soon after.
    package func submit(_ exchange: Exchange) {
        let headerBytes = exchange.request.headerBytes(with: exchange.shared, authority: authority)
        guard headerBytes <= HTTPRequest.maximumHeaderBytes else {
            return exchange.ended(Exchange.Result(ending: .failed(.headersTooLong), connection: nil))
        }
        while let connection = leastLoaded(for: exchange.shared.generation) {
            // Nil if it was retired since; its place is free again then.
            guard let isAsleep = connection.submit(exchange) else { continue }
            // Whoever ends `together` after this look wakes the connection.
            if isAsleep, bodies.load(ordering: .sequentiallyConsistent) == 0 { connection.wake() }
            return
        }
        exchange.ended(Exchange.Result(ending: .handedBack, connection: nil))
    }

    /// Runs `body`, which submits several exchanges: connections that sleep are woken at its end, each once.
    package func together(_ body: () -> Void) {
        bodies.add(1, ordering: .sequentiallyConsistent)
        body()
        guard bodies.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
        for connection in state.withLock({ $0.places.compactMap(\.connection) }) { connection.wake() }
    }

    /// The connection to use; nil once the pool is closed, or if the generation is too old.
    private func leastLoaded(for generation: Int) -> Connection? {
        let now = uptime
        let (connection, pause) = state.withLock { state -> (Connection?, Duration?) in
            guard !state.isClosed, generation >= state.oldestGeneration else { return (nil, nil) }
            var best = 0
            for index in state.places.indices.dropFirst()
            where (state.places[index].connection?.load ?? 0) < (state.places[best].connection?.load ?? 0) {
                best = index
            }
            if let connection = state.places[best].connection { return (connection, nil) }
            state.lastNumber += 1
            let connection = Connection(
                number: state.lastNumber, generation: generation, settings: settings, logger: logger,
                trouble: trouble, owner: self)
            state.places[best].connection = connection
            state.running[state.lastNumber] = Running(connection: connection, place: best)
            return (connection, state.places[best].pace.pause(at: now))
        }
        if let pause { connection?.start(after: pause) }
        return connection
    }

    /// Retires one connection, if it is still in use: what comes later goes on a fresh one.
    package func replace(_ number: Int) {
        retire(state.withLock { state in Self.takeOut(&state) { $0.number == number } })
    }

    /// Retires the connections that were opened for this generation of credentials, or for an earlier one.
    package func replace(openedUpTo generation: Int) {
        retire(state.withLock { state in Self.takeOut(&state) { $0.generation <= generation } })
    }

    /// Retires all connections.
    package func replaceAll() {
        retire(state.withLock { state in Self.takeOut(&state) { _ in true } })
    }

    /// Retires all connections, and from now on hands back what comes with this generation or an earlier one.
    ///
    /// Otherwise a sender that had its headers already would open a connection for them, and a connection belongs to
    /// one key.
    package func replaceAll(refusingUpTo generation: Int) {
        retire(
            state.withLock { state in
                state.oldestGeneration = max(state.oldestGeneration, generation + 1)
                return Self.takeOut(&state) { _ in true }
            })
    }

    /// Opens no more connections, and retires those there are; see ``ended()``.
    package func close() {
        retire(
            state.withLock { state in
                state.isClosed = true
                return Self.takeOut(&state) { _ in true }
            })
    }

    /// Gives up what is still in flight on retired connections.
    package func abandon() {
        for running in state.withLock({ Array($0.running.values) }) { running.connection.abandon() }
    }

    /// Returns when no connection's thread runs.
    package func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.running.isEmpty { return true }
                state.waitingForEnd.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private static func takeOut(_ state: inout State, where isMeant: (Connection) -> Bool) -> [Connection] {
        var taken: [Connection] = []
        for index in state.places.indices {
            if let connection = state.places[index].connection, isMeant(connection) {
                state.places[index].connection = nil
                taken.append(connection)
            }
        }
        return taken
    }

    private func retire(_ connections: [Connection]) {
        for connection in connections { connection.retire() }
    }
}

extension ConnectionPool: Connection.Owner {
    func connectionRetired(_ connection: Connection, life: Duration?) {
        let now = uptime
        state.withLock { state in
            guard let index = state.running[connection.number]?.place else { return }
            if state.places[index].connection === connection { state.places[index].connection = nil }
            state.places[index].pace.connectionEnded(at: now, life: life)
        }
    }

    func connectionEnded(_ connection: Connection) {
        let continuations = state.withLock { state in
            state.running[connection.number] = nil
            guard state.running.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waitingForEnd = [] }
            return state.waitingForEnd
        }
        for continuation in continuations { continuation.resume() }
    }
}
