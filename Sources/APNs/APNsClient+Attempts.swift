import HTTP2Client
import Spans
import Synchronization
import Tracing

/// How one host is asked, as often as it takes.
extension APNsClient {
    /// A notification on its way to one host.
    ///
    /// A class, as several closures hold on to it.
    private final class Sending: Sendable {
        let request: APNsRequest
        let server: APNsServer
        /// When it has waited long enough for its turn on the wire.
        let sendBy: ContinuousClock.Instant

        init(request: APNsRequest, server: APNsServer, sendBy: ContinuousClock.Instant) {
            self.request = request
            self.server = server
            self.sendBy = sendBy
        }
    }

    /// What one attempt is sent with.
    struct Attempt: Sendable {
        let source: ProviderTokenSource
        let token: ProviderToken
        let headers: RequestHeaders
    }

    /// Why the request is never sent; nil when it can be.
    func refusal(of request: APNsRequest) -> APNsOutcome? {
        if let field = request.unusableField { return .notSent(.invalidRequest(field: field)) }
        return request.payload.count <= APNsRequest.maximumPayloadBytes ? nil : .payloadTooLarge
    }

    /// Sends to a host whose slot the request has; it is given back before `ended` is told.
    ///
    /// A success at the first attempt needs no task.
    func deliver(
        _ request: APNsRequest, to server: APNsServer, in scope: TracingScope?, _ ended: @escaping Ended
    ) {
        let sending = Sending(request: request, server: server, sendBy: ContinuousClock.now + longestWait)
        let end: Ended = {
            server.slots.release()
            ended($0)
        }
        guard let attempt = attemptAtHand else {
            return wait(in: scope, end) { [self] in await outcome(of: sending, after: nil) }
        }
        submit(sending, attempt, after: 0) { [self] result in
            if case .answered(let answer, isComplete: true) = result.ending,
                case .delivered(let id) = APNsOutcome(APNsAnswer(answer), requestID: sending.request.id)
            {
                return end(.delivered(apnsID: id))
            }
            wait(in: scope, end) { [self] in await outcome(of: sending, after: (attempt, result)) }
        }
    }

    /// Sends until there is an outcome; `first` is an attempt that has been made already, and how it ended.
    private func outcome(of sending: Sending, after first: (Attempt, Exchange.Result)?) async -> APNsOutcome {
        let server = sending.server
        var attempts = SendAttempts()
        var last = first
        while last != nil || !isStopping.load(ordering: .acquiring) {
            let attempt: Attempt
            let result: Exchange.Result
            if let known = last {
                last = nil
                (attempt, result) = known
            } else {
                do {
                    guard let next = try await nextAttempt() else { continue }
                    attempt = next
                } catch {
                    return .notSent(.noProviderToken("\(error)"))
                }
                result = await perform(sending, attempt, after: attempts.count)
            }
            switch attempts.ended(result.ending, isOverdue: ContinuousClock.now >= sending.sendBy) {
            case .tryAgain: continue
            case .end(let outcome): return outcome
            case .judge(let answer, let isComplete):
                let id = sending.request.id
                let outcome =
                    isComplete ? APNsOutcome(answer, requestID: id) : APNsOutcome(cutShort: answer, requestID: id)
                replaceConnection(result.connection, to: server, after: outcome)
                guard !attempts.hasRenewed, await hasSuccessor(to: attempt, after: outcome) else {
                    return server.host == own.host ? outcome : outcome.fromForeignHost
                }
                // Those that carried the refused token may be stuck with it: none of them is used again.
                server.pool.replace(openedUpTo: attempt.headers.generation)
                attempts.renewed()
            }
        }
        return .notSent(.shuttingDown)
    }

    private func perform(_ sending: Sending, _ attempt: Attempt, after attempts: Int) async -> Exchange.Result {
        await withCheckedContinuation { continuation in
            submit(sending, attempt, after: attempts) { continuation.resume(returning: $0) }
        }
    }

    /// Sends once, in a span; `attempts` were made before.
    private func submit(
        _ sending: Sending, _ attempt: Attempt, after attempts: Int,
        _ ended: @escaping @Sendable (Exchange.Result) -> Void
    ) {
        let span = beginSpan(APNsRequest.spanName, kind: .client)
        span?.describe(requestTo: sending.server.address, after: attempts)
        sending.server.pool.submit(
            Exchange(
                request: HTTPRequest(sending.request), shared: attempt.headers[sending.request.kind],
                sendBy: sending.sendBy
            ) { result in
                span?.describe(result.ending)
                span?.end()
                ended(result)
            })
    }

    private func replaceConnection(_ number: Int?, to server: APNsServer, after outcome: APNsOutcome) {
        guard let number else { return }
        switch outcome {
        case .providerTokenExpired, .connectionMismatch, .idleTimeout: server.pool.replace(number)
        default: break
        }
    }
}
