internal import CCurl
import Foundation
import Logging
import Synchronization
import Troubles

/// One connection to a push service: one thread and one socket for all its life.
///
/// This half may be used from anywhere; ``ConnectionLoop`` is the half on the thread. When the socket is lost, the
/// connection is retired and never opens another: its owner makes a new ``Connection``.
final class Connection: Sendable {
    /// What a connection tells its owner, from its thread.
    protocol Owner: AnyObject, Sendable {
        /// It takes nothing new any more; it had stood for `life`, or nil if it never did. Told once.
        func connectionRetired(_ connection: Connection, life: Duration?)
        /// Its thread ends. Told once, last.
        func connectionEnded(_ connection: Connection)
    }

    /// What happened since the loop last asked.
    struct Orders {
        var arrived: [Exchange] = []
        var retire = false
        var abandon = false
    }

    private struct State {
        var orders = Orders()
        var isOpen = true
        var isAsleep = false
    }

    /// The connection's number within its client, from 1.
    let number: Int
    /// The generation of the shared fields it was opened for; later ones may follow on it.
    let generation: Int
    let settings: HTTP2Settings
    let logger: Logger
    /// What the log has of connections that cannot be opened: the pool's.
    let trouble: SharedTrouble
    private let owner: any Owner
    private let state = Mutex(State())
    /// Set while the handle lives, so that it is never woken after its end.
    ///
    /// It has a lock of its own, since the loop asks for the state as soon as it is woken.
    private let wakeable = Mutex<CurlTransport.Wakeable?>(nil)
    private let unfinished = Atomic(0)

    init(
        number: Int, generation: Int, settings: HTTP2Settings, logger: Logger, trouble: SharedTrouble,
        owner: any Owner
    ) {
        self.number = number
        self.generation = generation
        self.settings = settings
        self.trouble = trouble
        self.owner = owner
        var logger = logger
        logger[metadataKey: settings.key("connection")] = "\(number)"
        self.logger = logger
    }

    /// Exchanges that were submitted and have not ended.
    var load: Int { unfinished.load(ordering: .relaxed) }

    /// Starts the thread; it opens the connection after `pause`.
    func start(after pause: Duration) {
        let opening = ContinuousClock.now + pause
        let thread = Thread { [self] in
            ccurl_name_thread("\(settings.service.lowercased())-\(number)")
            ConnectionLoop.run(for: self, openingAt: opening)
            owner.connectionEnded(self)
        }
        thread.start()
    }

    /// Takes an exchange, and says whether the loop sleeps, so that `wake` is needed; nil if the connection is retired.
    func submit(_ exchange: Exchange) -> Bool? {
        state.withLock { state in
            guard state.isOpen else { return nil }
            unfinished.add(1, ordering: .relaxed)
            state.orders.arrived.append(exchange)
            return state.isAsleep
        }
    }

    /// Wakes the loop if it sleeps while there are exchanges for it.
    func wake() { order { !$0.orders.arrived.isEmpty } }

    /// Lets what is in flight end, then closes; what has not been sent is handed back.
    func retire() {
        order { state in
            state.orders.retire = true
            return true
        }
    }

    /// Closes at once; what is in flight is abandoned.
    func abandon() {
        order { state in
            state.orders.abandon = true
            return true
        }
    }

    /// Changes the orders, and wakes the loop if they have changed.
    @discardableResult
    private func order(_ change: (inout State) -> Bool) -> Bool {
        let (isChanged, isAsleep) = state.withLock { state in
            let isChanged = change(&state)
            guard isChanged else { return (false, false) }
            defer { state.isAsleep = false }
            return (true, state.isAsleep)
        }
        if isAsleep { wakeable.withLock { $0?.wake() } }
        return isChanged
    }
}

// MARK: - For the loop

extension Connection {
    /// Tells what to wake; nil before that ends.
    func attach(_ handle: CurlTransport.Wakeable?) { wakeable.withLock { $0 = handle } }

    /// What happened since the last call.
    func takeOrders() -> Orders {
        state.withLock { state in
            state.isAsleep = false
            let orders = state.orders
            state.orders.arrived = []
            return orders
        }
    }

    /// Whether nothing has happened since the last ``takeOrders()``; what happens from now on wakes the loop.
    func fallAsleep(_ known: Orders) -> Bool {
        state.withLock { state in
            let orders = state.orders
            guard orders.arrived.isEmpty, orders.retire == known.retire, orders.abandon == known.abandon else {
                return false
            }
            state.isAsleep = true
            return true
        }
    }

    /// Tells the owner, then takes nothing more; returns what had arrived meanwhile.
    func close(life: Duration?) -> [Exchange] {
        // In this order: whom this connection sends away must not find it again.
        owner.connectionRetired(self, life: life)
        return state.withLock { state in
            state.isOpen = false
            defer { state.orders.arrived = [] }
            return state.orders.arrived
        }
    }

    /// Tells the sender how its exchange ended.
    func finish(_ exchange: Exchange, _ ending: Exchange.Ending) {
        unfinished.subtract(1, ordering: .relaxed)
        exchange.ended(Exchange.Result(ending: ending, connection: number))
    }
}
