internal import CCurl
import Clocks
import DequeModule
import Logging
import Troubles

/// The half of a connection that lives on its thread: moves bytes between the socket and the session, gives the session
/// requests, and looks at the deadlines.
final class ConnectionLoop {
    private let connection: Connection
    private let settings: HTTP2Settings
    private let transport: CurlTransport
    private let openingAt: ContinuousClock.Instant
    /// Once the connection stands.
    private var session: Session?

    private var state: ConnectionState
    private var orders = Connection.Orders()
    private var waiting = Deque<Exchange>()
    private var outgoing = OutgoingBytes()
    private let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    private(set) var now = ContinuousClock.now
    private var nextDeadlineCheck = ContinuousClock.now
    private var establishedAt: ContinuousClock.Instant?
    private var liveness: Liveness?
    private var lastAnswerAt: ContinuousClock.Instant?
    private var isLost = false
    /// The socket or OpenSSL may hold more than was read in one turn.
    private var mayHaveMore = false
    /// Why the connection could not be opened: shared by all who waited for it.
    private var openingFailure: TransportFailure?
    private var isClosed = false

    /// Runs a connection until it is retired and drained; returns when everything submitted has ended.
    static func run(for connection: Connection, openingAt: ContinuousClock.Instant) {
        ccurl_block_sigpipe()
        do {
            try ConnectionLoop(connection, openingAt: openingAt).run()
        } catch {
            connection.logger.error(
                "\(connection.settings.service) connection could not be set up",
                metadata: ["curl.code": "\(error.code.rawValue)"])
            let exchanges = connection.takeOrders().arrived + connection.close(life: nil)
            for exchange in exchanges { connection.finish(exchange, .failed(error.failure)) }
        }
    }

    private init(_ connection: Connection, openingAt: ContinuousClock.Instant) throws(CurlError) {
        transport = try CurlTransport(connection.settings)
        self.connection = connection
        self.openingAt = openingAt
        settings = connection.settings
        state = ConnectionState(streams: settings.streams, proves: settings.provesConnections)
    }

    deinit { incoming.deallocate() }

    private func run() {
        connection.attach(transport.wakeable)
        defer { connection.attach(nil) }
        while true {
            now = .now
            obey()
            if session == nil { open() } else { read() }
            checkDeadlines()
            write()
            if state.phase == .retired { close() }
            if state.isFinished { return sayGoodbye() }
            sleep()
        }
    }

    private func obey() {
        orders = connection.takeOrders()
        waiting.append(contentsOf: orders.arrived)
        orders.arrived = []
        if orders.retire || orders.abandon { state.retire() }
        if orders.abandon, let session {
            for stream in session.active { finish(session.cancel(stream), isConnectionLost: true, lost: .abandoned) }
        }
    }

    /// Opens the connection as soon as that may begin.
    private func open() {
        guard now >= openingAt, state.phase != .retired else { return }
        switch transport.advance() {
        case .opening: break
        case .failed(let failure): openingFailed(failure)
        case .open:
            do throws(CurlError) {
                session = try Session(settings, owner: self)
            } catch {
                return openingFailed(error.failure)
            }
            now = .now
            establishedAt = now
            liveness = Liveness(settings, at: now)
            // OpenSSL may have read the server's first frames with the end of the handshake.
            mayHaveMore = true
            connection.logger.info(
                "\(settings.service) connection opened",
                metadata: [settings.key("origin"): "\(settings.origin)"].adding(connection.trouble.over() ?? [:]))
        }
    }

    private func openingFailed(_ failure: TransportFailure) {
        openingFailure = failure
        state.retire()
        guard let summary = connection.trouble.met(failure.words) else { return }
        connection.logger.warning(
            "\(settings.service) connection could not be opened", metadata: metadata(of: failure).adding(summary))
    }

    /// Gives the session the next of the waiting requests; false if there is none, or no room for it.
    private func beginNext() -> Bool {
        guard let session else { return false }
        while state.room > 0, let exchange = waiting.popFirst() {
            if now < exchange.sendBy, settings.mayBegin() {
                guard !session.submit(exchange, at: now) else {
                    state.requestStarted()
                    return true
                }
                // No stream is left, as 2^30 requests have been sent.
                state.retire()
            }
            connection.finish(exchange, .handedBack)
        }
        return false
    }

    // MARK: - Bytes

    /// The most reads in one turn: a server that never stops must not keep the loop from its deadlines.
    private static let maximumReads = 16

    private func read() {
        guard let session, !isLost else { return }
        mayHaveMore = false
        for _ in 0..<Self.maximumReads {
            switch transport.receive(into: incoming) {
            case .blocked: return
            case .closed: return lose(.reset, "closed by the server")
            case .failed(let failure): return lose(failure, failure.words)
            case .moved(let count):
                liveness?.received(at: now)
                if let words = session.receive(UnsafeRawBufferPointer(rebasing: incoming[..<count])) {
                    return lose(protocolFailure, words)
                }
                if session.isOver { return lose(.reset, "ended by the server") }
            }
        }
        mayHaveMore = true
    }

    /// What bytes mean that are not HTTP/2: at the beginning, that the server does not speak it.
    private var protocolFailure: TransportFailure { state.serverStreams == nil ? .notHTTP2 : .reset }

    private func write() {
        guard let session, !isLost else { return }
        // `now` may be too old when many requests are written in one turn.
        now = .now
        do throws(SessionFailure) {
            while try outgoing.fill(from: session, beginNext: beginNext) {
                switch outgoing.send(by: transport) {
                case .moved: continue
                case .blocked: return
                case .closed: return loseAfterReading(.reset)
                case .failed(let failure): return loseAfterReading(failure)
                }
            }
        } catch {
            return lose(.reset, error.words)
        }
        // After bytes that were not HTTP/2: nghttp2 has said so to the server, and waits for nothing more.
        if session.isOver, state.phase != .retired || !session.active.isEmpty { lose(protocolFailure, "not HTTP/2") }
    }

    /// Nothing can be written any more; what the server said before that still counts.
    private func loseAfterReading(_ failure: TransportFailure) {
        read()
        if !isLost { lose(failure, failure.words) }
    }

    /// Says that the connection ends, as far as the socket takes it.
    private func sayGoodbye() {
        guard let session, !isLost else { return }
        session.terminate()
        write()
    }

    private func sleep() {
        guard !mayHaveMore, connection.fallAsleep(orders) else { return }
        let until: ContinuousClock.Instant =
            if let session, let liveness, session.active.isEmpty, waiting.isEmpty {
                liveness.nextCheck(isWaiting: false)
            } else if session == nil, now < openingAt {
                openingAt
            } else {
                now + settings.deadlineInterval
            }
        let milliseconds = CInt(clamping: max(.zero, until - now).millisecondsRoundedUp)
        if !transport.wait(milliseconds: milliseconds, forWriting: outgoing.isBlocked) {
            lose(CurlError.setUpFailed.failure, "libcurl cannot wait")
        }
    }
}

// MARK: - Endings

extension ConnectionLoop: Session.Owner {
    func settingsReceived(streams: Int) { state.serverStreams = streams }

    func answerBegan() { lastAnswerAt = now }

    func goAwayReceived(code: UInt32) {
        state.retire()
        connection.logger.info(
            "\(settings.service) connection is being closed by the server",
            metadata: [settings.key("goaway_code"): "\(code)"])
    }

    func requestEnded(_ exchange: Exchange, _ ending: Session.Ending) {
        finish((exchange, ending), isConnectionLost: false, lost: .failed(.reset))
    }

    /// Tells the state and the sender how a request ended; `lost` is for one that was sent and got no answer.
    private func finish(
        _ ended: (exchange: Exchange, ending: Session.Ending), isConnectionLost: Bool, lost: Exchange.Ending
    ) {
        let isSuccess: Bool
        let ending: Exchange.Ending
        switch ended.ending {
        case .answered(let answer):
            (isSuccess, ending) = ((200..<300).contains(answer.status), .answered(answer, isComplete: true))
        case .cutShort(let answer):
            (isSuccess, ending) = ((200..<300).contains(answer.status), .answered(answer, isComplete: false))
        case .unprocessed: (isSuccess, ending) = (false, .failed(.goAwayUnprocessed))
        case .lost: (isSuccess, ending) = (false, lost)
        case .notSent: (isSuccess, ending) = (false, .handedBack)
        }
        if case .failed(let failure) = ending {
            connection.logger.debug("\(settings.service) request failed", metadata: metadata(of: failure))
        }
        state.requestEnded(isConnectionLost ? .connectionLost : isSuccess ? .success : .noSuccess)
        connection.finish(ended.exchange, ending)
    }

    /// The connection is gone: what was on it ends.
    private func lose(_ failure: TransportFailure, _ words: String) {
        isLost = true
        // Before the server's SETTINGS nothing was sent on it.
        if state.serverStreams == nil { openingFailed(failure) }
        state.retire()
        connection.logger.debug(
            "\(settings.service) connection lost", metadata: ["error.message": "\(words)"])
        guard let session else { return }
        for stream in session.active {
            finish(session.cancel(stream), isConnectionLost: true, lost: .failed(failure))
        }
    }

    /// Takes nothing new any more, and lets go of what was not sent: the next connection will have it.
    private func close() {
        if let session {
            for stream in session.active where stream.sentAt == nil {
                finish(session.cancel(stream), isConnectionLost: true, lost: .handedBack)
            }
        }
        let late: [Exchange]
        if isClosed {
            late = []
        } else {
            isClosed = true
            late = connection.close(life: establishedAt.map { now - $0 })
            connection.logger.debug(
                "\(settings.service) connection retired",
                metadata: [settings.key("in_flight"): "\(session?.active.count ?? 0)"])
        }
        let ending = openingFailure.map(Exchange.Ending.failed) ?? .handedBack
        for exchange in waiting + late { connection.finish(exchange, ending) }
        waiting = []
    }

    private func metadata(of failure: TransportFailure) -> Logger.Metadata {
        [
            settings.key("failure"): "\(failure.label)", "error.message": "\(failure.words)",
            settings.key("origin"): "\(settings.origin)",
        ]
    }
}

// MARK: - Deadlines

extension ConnectionLoop {
    /// Ends what has waited too long, and looks whether the server lives.
    private func checkDeadlines() {
        guard now >= nextDeadlineCheck else { return }
        nextDeadlineCheck = now + settings.deadlineInterval
        if let session {
            checkServer(session)
            for stream in session.active { checkDeadline(of: stream, in: session) }
        }
        let moment = now
        guard waiting.contains(where: { $0.sendBy <= moment }) else { return }
        for exchange in waiting where exchange.sendBy <= moment { connection.finish(exchange, .handedBack) }
        waiting.removeAll { $0.sendBy <= moment }
    }

    private func checkServer(_ session: Session) {
        switch liveness?.check(at: now, isWaiting: !session.active.isEmpty) {
        case .ping: session.ping()
        case .dead: return lose(.timeout, "no answer to a PING")
        case .nothing, nil: break
        }
        guard state.serverStreams == nil, let establishedAt, now - establishedAt > settings.connectTimeout else {
            return
        }
        // Not a server of HTTP/2, or one that is too busy to say what it allows.
        openingFailed(.timeout)
    }

    private func checkDeadline(of stream: RequestStream, in session: Session) {
        guard let sentAt = stream.sentAt else {
            guard let exchange = stream.exchange, exchange.sendBy <= now else { return }
            return finish(session.cancel(stream), isConnectionLost: false, lost: .handedBack)
        }
        let limit =
            stream.hasFirstByte
            ? settings.requestTimeout : min(settings.firstByteTimeout, settings.requestTimeout)
        guard now - sentAt > limit else { return }
        // No answer on the whole connection since: it is dead, not only this stream.
        let isDead = lastAnswerAt.map { $0 < sentAt } ?? true
        finish(session.cancel(stream), isConnectionLost: isDead, lost: .failed(.timeout))
    }
}
