internal import CCurl
import Clocks
import DequeModule
import Logging
import Troubles

/// The half of a connection that lives on its thread: hands requests to libcurl, runs it, and reads what ended.
final class CurlLoop {
    private let connection: CurlConnection
    private let settings: CurlSettings
    private let multi: UnsafeMutableRawPointer
    private let sockets: UnsafeMutablePointer<ccurl_sockets>
    private let openingAt: ContinuousClock.Instant

    private var state: ConnectionState
    private var waiting = Deque<Exchange>()
    private var active: [CurlTransfer] = []
    private var spare: [CurlTransfer] = []

    private var now = ContinuousClock.now
    private var nextDeadlineCheck = ContinuousClock.now
    private var establishedAt: ContinuousClock.Instant?
    private var lastByteAt: ContinuousClock.Instant?
    /// Why the connection could not be opened: shared by all who waited for it.
    private var openingFailure: TransportFailure?
    /// The last stream that a GOAWAY lets live.
    private var lastStream: Int?
    private var isClosed = false

    /// How long an idle loop sleeps; it is woken when there is something to do.
    private static let idleMilliseconds: CInt = 60_000

    /// Runs a connection until it is retired and drained; returns when everything submitted has ended.
    static func run(for connection: CurlConnection, openingAt: ContinuousClock.Instant) {
        ccurl_block_sigpipe()
        do {
            try CurlError.check(CurlLibrary.initialization)
            try CurlLoop(connection, openingAt: openingAt).run()
        } catch {
            connection.logger.error(
                "APNs connection could not be set up", metadata: ["curl.code": "\(error.code.rawValue)"])
            let exchanges = connection.takeOrders().arrived + connection.close(life: nil)
            for exchange in exchanges { connection.finish(exchange, .failed(error.failure)) }
        }
    }

    private init(_ connection: CurlConnection, openingAt: ContinuousClock.Instant) throws(CurlError) {
        guard let multi = curl_multi_init() else { throw CurlError(code: CURLE_OUT_OF_MEMORY) }
        self.connection = connection
        self.multi = multi
        self.openingAt = openingAt
        settings = connection.settings
        sockets = .allocate(capacity: 1)
        ccurl_sockets_init(sockets)
        state = ConnectionState(streams: settings.streams)
        try settings.apply(toMulti: multi)
    }

    deinit {
        spare = []
        active = []
        curl_multi_cleanup(multi)
        sockets.deallocate()
    }

    private func run() {
        connection.attach(CurlConnection.WakeableHandle(multi: multi))
        defer { connection.attach(nil) }
        while true {
            now = .now
            obey(connection.takeOrders())
            handOver()
            perform()
            collectFinished()
            letGoOfUnprocessed()
            checkDeadlines()
            if state.phase == .retired { close() }
            if state.isFinished { return }
            handOver()
            sleep()
        }
    }

    private func obey(_ orders: CurlConnection.Orders) {
        waiting.append(contentsOf: orders.arrived)
        if orders.retire || orders.abandon { state.retire() }
        if orders.abandon {
            for transfer in active { cutShort(transfer, .abandoned, .connectionLost) }
        }
    }

    /// Gives libcurl as many of the waiting requests as there is room for.
    private func handOver() {
        guard now >= openingAt else { return }
        while state.room > 0, let exchange = waiting.popFirst() {
            guard now < exchange.sendBy else {
                connection.finish(exchange, .handedBack)
                continue
            }
            do throws(CurlError) {
                let transfer = try spareTransfer()
                try transfer.load(exchange, at: now)
                try CurlError.check(curl_multi_add_handle(multi, transfer.easy))
                state.requestStarted()
                transfer.position = active.count
                active.append(transfer)
            } catch {
                // The handle, if there was one, goes with the scope: a spare one is always in order.
                connection.finish(exchange, .failed(error.failure))
            }
        }
    }

    private func spareTransfer() throws(CurlError) -> CurlTransfer {
        if let transfer = spare.popLast() { return transfer }
        return try CurlTransfer(settings: settings, sockets: sockets, owner: self)
    }

    /// Lets libcurl work; what it writes in one turn goes out together, when a packet is full or the turn ends.
    ///
    /// libcurl writes some three small pieces for each request, each a packet of its own. Holding them together saved
    /// the client a third of its processor time, and the server as much (RESULTS.md).
    private func perform() {
        var running: CInt = 0
        ccurl_cork(sockets, 1)
        let code = curl_multi_perform(multi, &running)
        ccurl_cork(sockets, 0)
        if code != CURLM_OK { giveUp(code) }
    }

    private func sleep() {
        let milliseconds: CInt =
            if !active.isEmpty {
                CInt(clamping: settings.deadlineInterval.millisecondsRoundedUp)
            } else if now < openingAt, !waiting.isEmpty {
                CInt(clamping: (openingAt - now).millisecondsRoundedUp)
            } else {
                Self.idleMilliseconds
            }
        let code = curl_multi_poll(multi, nil, 0, milliseconds, nil)
        if code != CURLM_OK { giveUp(code) }
    }

    /// libcurl itself failed (no memory, or an inner error): nothing of this handle can be relied on.
    private func giveUp(_ code: CURLMcode) {
        connection.logger.error("APNs connection given up", metadata: ["curl.multi_code": "\(code.rawValue)"])
        state.retire()
        let failure = TransportFailure.other(code: Int(code.rawValue))
        for transfer in active { cutShort(transfer, .failed(failure), .connectionLost) }
    }

    /// Takes nothing new any more, and lets go of what was not sent: the next connection will have it.
    private func close() {
        for transfer in active where transfer.sentAt == nil && establishedAt != nil {
            end(transfer, .handedBack, .connectionLost)
        }
        let late: [Exchange]
        if isClosed {
            late = []
        } else {
            isClosed = true
            late = connection.close(life: establishedAt.map { now - $0 })
            connection.logger.debug("APNs connection retired", metadata: ["apns.in_flight": "\(active.count)"])
        }
        let ending = openingFailure.map(Exchange.Ending.failed) ?? .handedBack
        for exchange in waiting + late { connection.finish(exchange, ending) }
        waiting = []
    }
}

// MARK: - Endings

extension CurlLoop {
    private func collectFinished() {
        var code = CURLE_OK
        while let easy = ccurl_next_finished(multi, &code) {
            var pointer: UnsafeMutableRawPointer?
            guard ccurl_get_pointer(easy, CURLINFO_PRIVATE, &pointer) == CURLE_OK,
                let transfer = CurlTransfer.from(pointer)
            else { continue }
            let (ending, consequence) = conclude(transfer, code)
            end(transfer, ending, consequence)
        }
    }

    /// What a finished transfer means for its sender and for the connection.
    ///
    /// The status is looked at before the error: a server that closes the connection just after its answer has answered
    /// all the same.
    private func conclude(_ transfer: CurlTransfer, _ code: CURLcode) -> (Exchange.Ending, ConnectionState.Ending) {
        if let answer = transfer.answer() {
            guard transfer.cameOverHTTP2 else { return (.failed(.notHTTP2), .connectionLost) }
            let isLost = code != CURLE_OK && !Self.concernsStreamOnly(code)
            // A body that we ended ourselves, as too long, is none that the server still owes.
            let isComplete = code == CURLE_OK || code == CURLE_WRITE_ERROR
            return (
                .answered(answer, isComplete: isComplete),
                isLost ? .connectionLost : answer.status == 200 ? .success : .noSuccess
            )
        }
        if isUnprocessed(transfer) { return (.failed(.goAwayUnprocessed), .connectionLost) }
        if transfer.wasDeniedSocket {
            return (transfer.sentAt == nil ? .handedBack : .failed(.goAwayUnprocessed), .connectionLost)
        }
        if transfer.sentAt == nil, establishedAt != nil { return (.handedBack, .connectionLost) }
        let failure = TransportFailure(code, systemError: transfer.systemError)
        let metadata: Logger.Metadata = [
            "apns.failure": "\(failure.label)", "error.message": "\(failure.words)",
            "apns.origin": "\(settings.origin)",
        ]
        if establishedAt == nil {
            openingFailure = failure
            if let summary = connection.trouble.met(failure.words) {
                connection.logger.warning("APNs connection could not be opened", metadata: metadata.adding(summary))
            }
            return (.failed(failure), .connectionLost)
        }
        connection.logger.debug("APNs request failed", metadata: metadata)
        return (.failed(failure), Self.concernsStreamOnly(code) ? .noSuccess : .connectionLost)
    }

    /// Whether the request's stream is above a GOAWAY's last one.
    private func isUnprocessed(_ transfer: CurlTransfer) -> Bool {
        guard let lastStream, let stream = transfer.stream else { return false }
        return stream > lastStream
    }

    /// Ends what a GOAWAY left unprocessed: libcurl would keep it until the other streams are done.
    private func letGoOfUnprocessed() {
        guard lastStream != nil else { return }
        for transfer in active where isUnprocessed(transfer) {
            end(transfer, .failed(.goAwayUnprocessed), .connectionLost)
        }
    }

    /// RST_STREAM, and our own end of a body that is too long, leave the other streams as they are.
    private static func concernsStreamOnly(_ code: CURLcode) -> Bool {
        code == CURLE_HTTP2_STREAM || code == CURLE_WRITE_ERROR || code == CURLE_PARTIAL_FILE
    }

    /// Ends a transfer before libcurl does: an answer whose body is still missing counts all the same, and what was not
    /// sent is handed back.
    private func cutShort(
        _ transfer: CurlTransfer, _ ending: Exchange.Ending, _ consequence: ConnectionState.Ending
    ) {
        guard transfer.sentAt != nil else { return end(transfer, .handedBack, consequence) }
        let answer = transfer.cameOverHTTP2 ? transfer.answer() : nil
        end(transfer, answer.map { Exchange.Ending.answered($0, isComplete: false) } ?? ending, consequence)
    }

    private func end(_ transfer: CurlTransfer, _ ending: Exchange.Ending, _ consequence: ConnectionState.Ending) {
        // Removing one that has not ended resets its stream.
        curl_multi_remove_handle(multi, transfer.easy)
        state.requestEnded(consequence)
        if let last = active.popLast(), last !== transfer {
            active[transfer.position] = last
            last.position = transfer.position
        }
        if let exchange = transfer.unload() { connection.finish(exchange, ending) }
        spare.append(transfer)
    }
}

// MARK: - Deadlines

extension CurlLoop {
    /// Ends what has waited too long for its answer.
    ///
    /// libcurl's own limit is not used: it would count the time in which a request waits for a free stream.
    private func checkDeadlines() {
        guard now >= nextDeadlineCheck else { return }
        nextDeadlineCheck = now + settings.deadlineInterval
        for transfer in active {
            if let sentAt = transfer.sentAt {
                let limit =
                    transfer.hasFirstByte
                    ? settings.requestTimeout : min(settings.firstByteTimeout, settings.requestTimeout)
                guard now - sentAt > limit else { continue }
                // Not a byte on the whole connection since: it is dead, not only this stream.
                let isDead = lastByteAt.map { $0 < sentAt } ?? true
                cutShort(transfer, .failed(.timeout), isDead ? .connectionLost : .noSuccess)
            } else if establishedAt != nil, isStalled(since: transfer.startedAt) {
                end(transfer, .handedBack, .connectionLost)
            } else if establishedAt != nil, let exchange = transfer.exchange, exchange.sendBy <= now {
                // It waits for a stream. While the connection is being opened, libcurl has a limit of its own.
                end(transfer, .handedBack, .noSuccess)
            }
        }
        let moment = now
        guard waiting.contains(where: { $0.sendBy <= moment }) else { return }
        for exchange in waiting where exchange.sendBy <= moment { connection.finish(exchange, .handedBack) }
        waiting.removeAll { $0.sendBy <= moment }
    }

    /// A request that waits for a stream while nothing moves is one that libcurl has forgotten.
    private func isStalled(since start: ContinuousClock.Instant) -> Bool {
        now - max(start, lastByteAt ?? start) > settings.connectTimeout + settings.requestTimeout
    }
}

extension CurlLoop: CurlTransfer.Owner {
    func maySocketBeOpened(forSent wasSent: Bool) -> Bool { establishedAt == nil && !wasSent }

    func requestWillBeSent() -> ContinuousClock.Instant {
        // The loop's `now` is too old here when many requests are written in one turn.
        let moment = ContinuousClock.now
        if establishedAt == nil {
            establishedAt = moment
            connection.logger.info(
                "APNs connection opened",
                metadata: ["apns.origin": "\(settings.origin)"].adding(connection.trouble.over() ?? [:]))
        }
        return moment
    }

    func bytesReceived() { lastByteAt = now }

    func goAwayReceived(lastStream: Int) {
        state.retire()
        self.lastStream = min(lastStream, self.lastStream ?? lastStream)
        connection.logger.info("APNs connection is being closed by the server")
    }
}
