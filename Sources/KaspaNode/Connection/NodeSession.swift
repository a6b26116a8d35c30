import Kaspa
import Spans
import SwiftProtobuf
import Synchronization
import Tracing

/// Matches answers to requests over one connection.
///
/// It lives as long as the connection.
final class NodeSession: NodeRequests {
    typealias Answer = NodeResponse
    private typealias Waiter = AsyncStream<Result<Answer, NodeError>>.Continuation

    /// A request for the next part of the virtual chain, sent before it was asked for.
    private struct ReadAhead {
        let start: BlockHash
        let askedAt: ContinuousClock.Instant
        let id: UInt64
        let answers: AsyncStream<Result<Answer, NodeError>>
    }

    private struct State {
        var table: RequestTable<Waiter>
        /// Requests whose answer starts the next read-ahead.
        var readingAhead: Set<UInt64> = []
        var ahead: ReadAhead?
    }

    private let state: Mutex<State>
    private let requests: AsyncStream<Protowire_KaspadRequest>
    /// Holds little more than the table's limit, since only admitted requests are queued.
    private let outgoing: AsyncStream<Protowire_KaspadRequest>.Continuation
    private let transport: NodeTransport

    init(transport: NodeTransport) {
        self.transport = transport
        state = Mutex(State(table: RequestTable(limit: transport.configuration.maximumOutstandingRequests)))
        (requests, outgoing) = AsyncStream.makeStream(of: Protowire_KaspadRequest.self)
    }

    /// Connects and serves requests until the connection ends.
    ///
    /// Returns why it ended.
    ///
    /// Notifications go to `notify`, one at a time.
    func run(notify: @escaping @Sendable (Answer) async -> Void) async -> NodeError {
        var end = NodeError(.transport, "the node ended the stream")
        do {
            try await transport.exchange(requests, arriving: { self.arrived($0) }) { response in
                guard let payload = response.payload else {
                    // Newer than our proto: an answer we cannot read, or a notification that we did not ask for.
                    self.settle(response.id, .failure(NodeError(.malformedAnswer, "the answer has no known content")))
                    return
                }
                if payload.isNotification {
                    await notify(response)
                } else {
                    self.settle(response.id, .success(response))
                }
            }
        } catch let error as NodeError {
            end = error
        } catch {
            end = NodeError(.transport, ConnectionFailure.words(error))
        }
        self.end(end)
        return end
    }

    /// Refuses new requests and fails pending ones with `error`.
    ///
    /// Only the first call has an effect.
    func end(_ error: NodeError) {
        outgoing.finish()
        for waiter in state.withLock({ $0.table.close(error) }) {
            waiter.yield(.failure(error))
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// Answers may come in any order.
    func request(
        _ payload: Protowire_KaspadRequest.OneOf_Payload, timeout: Duration?
    ) async throws(NodeError) -> Answer {
        try await traced(payload.spanName, kind: .client) { (span) async throws(NodeError) in
            span.describe(payload, to: transport.endpoint)
            return try await answer(to: payload, timeout: timeout)
        }
    }

    /// Requests the virtual chain after `start`, or takes the answer that was read ahead.
    func virtualChain(
        from start: BlockHash, timeout: Duration?, readingAhead: Bool
    ) async throws(NodeError) -> Answer {
        let payload = virtualChainQuestion(from: start)
        return try await traced(payload.spanName, kind: .client) { (span) async throws(NodeError) in
            span.describe(payload, to: transport.endpoint)
            if let ahead = takeAhead(from: start, readingAhead: readingAhead) {
                let answer = try await self.answer(of: ahead.id, in: ahead.answers, timeout: timeout)
                if let end = answer.lastAdded {
                    // Unless the answer came after this call began: then its arrival has sent the next request.
                    if readingAhead { readAhead(from: end) }
                    return answer
                }
                // "Nothing added" or an error may be out of date: ask again.
            }
            return try await self.answer(to: payload, timeout: timeout, readingAhead: readingAhead)
        }
    }

    private func answer(
        to payload: Protowire_KaspadRequest.OneOf_Payload, timeout: Duration?, readingAhead: Bool = false
    ) async throws(NodeError) -> Answer {
        let (answers, waiter) = NodeSession.makeWaiter()
        let admission = state.withLock { state in
            let admission = state.table.admit(waiter)
            if readingAhead, case .admitted(let id) = admission { state.readingAhead.insert(id) }
            return admission
        }
        switch admission {
        case .admitted(let id):
            send(payload, as: id)
            return try await answer(of: id, in: answers, timeout: timeout)
        case .full: throw NodeError(.busy, "too many requests wait for an answer already")
        case .closed(let error): throw error
        }
    }

    /// A stream of one element: the answer, the timeout or the connection's end, whichever takes the waiter first.
    private static func makeWaiter() -> (AsyncStream<Result<Answer, NodeError>>, Waiter) {
        let (answers, waiter) = AsyncStream.makeStream(
            of: Result<Answer, NodeError>.self, bufferingPolicy: .bufferingOldest(1))
        return (answers, waiter)
    }

    private func send(_ payload: Protowire_KaspadRequest.OneOf_Payload, as id: UInt64) {
        outgoing.yield(
            .with {
                $0.id = id
                $0.payload = payload
            })
    }

    private func answer(
        of id: UInt64, in answers: AsyncStream<Result<Answer, NodeError>>, timeout: Duration?
    ) async throws(NodeError) -> Answer {
        // The timer is cancelled and awaited when this function returns.
        async let _: Void = giveUp(id, after: timeout ?? transport.configuration.requestTimeout)
        let answer = await answers.first { _ in true }
        state.withLock { state in
            _ = state.table.take(id)
            state.readingAhead.remove(id)
        }
        guard let answer else { throw NodeError(.cancelled, "the request was cancelled") }
        return try answer.get()
    }

    private func settle(_ id: UInt64, _ answer: Result<Answer, NodeError>) {
        state.withLock { $0.table.take(id) }?.yield(answer)
    }

    // MARK: Reading ahead

    /// Sends the next read-ahead before the answer is decoded, so that the node works on it meanwhile.
    private func arrived(_ message: UnsafeRawBufferPointer) {
        guard state.withLock({ !$0.readingAhead.isEmpty }), let end = ChainEnd(message),
            state.withLock({ $0.readingAhead.contains(end.requestID) })
        else { return }
        readAhead(from: end.hash)
    }

    /// Requests the chain from `start`, once.
    ///
    /// A read-ahead from another block is dropped.
    private func readAhead(from start: BlockHash) {
        let (answers, waiter) = NodeSession.makeWaiter()
        let id: UInt64? = state.withLock { state in
            guard state.ahead?.start != start else { return nil }
            if let old = state.ahead { _ = state.table.take(old.id) }
            state.ahead = nil
            guard case .admitted(let id) = state.table.admit(waiter) else { return nil }
            state.ahead = ReadAhead(start: start, askedAt: .now, id: id, answers: answers)
            return id
        }
        if let id { send(virtualChainQuestion(from: start), as: id) }
    }

    /// The read-ahead, if it is from `start` and recent.
    ///
    /// Any other is dropped.
    private func takeAhead(from start: BlockHash, readingAhead: Bool) -> ReadAhead? {
        state.withLock { state in
            guard let ahead = state.ahead else { return nil }
            state.ahead = nil
            guard ahead.start == start,
                ContinuousClock.now - ahead.askedAt <= transport.configuration.readAheadAge
            else {
                _ = state.table.take(ahead.id)
                return nil
            }
            if readingAhead { state.readingAhead.insert(ahead.id) }
            return ahead
        }
    }

    private func giveUp(_ id: UInt64, after timeout: Duration) async {
        do { try await Task.sleep(for: timeout) } catch { return }
        settle(id, .failure(NodeError(.timeout, "no answer within \(timeout)")))
    }
}

extension NodeResponse {
    /// The last chain block that the answer adds.
    fileprivate var lastAdded: BlockHash? {
        guard case .getVirtualChainFromBlockV2Response(let message) = payload, !message.hasError else { return nil }
        return message.addedChainBlockHashes.last.flatMap { BlockHash($0) }
    }
}

extension Protowire_KaspadResponse.OneOf_Payload {
    /// Whether this is a notification.
    var isNotification: Bool {
        switch self {
        case .blockAddedNotification, .virtualChainChangedNotification, .virtualDaaScoreChangedNotification: true
        default: false
        }
    }
}
