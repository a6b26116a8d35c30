import Kaspa
import Spans
import SwiftProtobuf
import Synchronization
import Tracing

/// Requests and answers over one connection, matched by id; it lives as long as that connection.
final class NodeSession: NodeRequests {
    typealias Answer = NodeResponse
    private typealias Waiter = AsyncStream<Result<Answer, NodeError>>.Continuation

    /// The question about the virtual chain that nobody has asked for yet.
    private struct ReadAhead {
        let start: BlockHash
        let askedAt: ContinuousClock.Instant
        let id: UInt64
        let answers: AsyncStream<Result<Answer, NodeError>>
    }

    private struct State {
        var table: RequestTable<Waiter>
        /// Requests behind whose answers the chain is read on.
        var readingAhead: Set<UInt64> = []
        var ahead: ReadAhead?
    }

    private let state: Mutex<State>
    private let requests: AsyncStream<Protowire_KaspadRequest>
    /// Holds little more than the table's limit: only admitted requests are put in.
    private let outgoing: AsyncStream<Protowire_KaspadRequest>.Continuation
    private let transport: NodeTransport

    init(transport: NodeTransport) {
        self.transport = transport
        state = Mutex(State(table: RequestTable(limit: transport.configuration.maximumOutstandingRequests)))
        (requests, outgoing) = AsyncStream.makeStream(of: Protowire_KaspadRequest.self)
    }

    /// Connects and serves requests until the connection ends, and says why it did; notifications go to `notify`, one
    /// at a time.
    func run(notify: @escaping @Sendable (Answer) async -> Void) async -> NodeError {
        var end = NodeError(.transport, "the node ended the stream")
        do {
            try await transport.exchange(requests, arriving: { self.arrived($0) }) { response in
                guard let payload = response.payload else {
                    // Something newer than this proto: an answer nobody can read, or a notification nobody asked for.
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

    /// Takes no more requests, and tells those that wait why; only the first call says it.
    func end(_ error: NodeError) {
        outgoing.finish()
        for waiter in state.withLock({ $0.table.close(error) }) {
            waiter.yield(.failure(error))
        }
    }

    /// Sends a request and waits for its answer, whatever else is answered in between.
    func request(
        _ payload: Protowire_KaspadRequest.OneOf_Payload, timeout: Duration?
    ) async throws(NodeError) -> Answer {
        try await traced(payload.spanName, kind: .client) { (span) async throws(NodeError) in
            span.describe(payload, to: transport.endpoint)
            return try await answer(to: payload, timeout: timeout)
        }
    }

    /// Asks about the virtual chain after `start`, or takes the answer to that question if it was put ahead.
    func virtualChain(
        from start: BlockHash, timeout: Duration?, readingAhead: Bool
    ) async throws(NodeError) -> Answer {
        let payload = virtualChainQuestion(from: start)
        return try await traced(payload.spanName, kind: .client) { (span) async throws(NodeError) in
            span.describe(payload, to: transport.endpoint)
            if let ahead = takeAhead(from: start, readingAhead: readingAhead) {
                let answer = try await self.answer(of: ahead.id, in: ahead.answers, timeout: timeout)
                if let end = answer.lastAdded {
                    // Unless it came after it was asked for, which has put the next question already.
                    if readingAhead { readAhead(from: end) }
                    return answer
                }
                // That there was nothing more, or an error, may not be so any longer.
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

    /// One element: the first of answer, timeout and the connection's end counts, whoever takes it from the table.
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
        // Cancelled and awaited when this returns.
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

    /// The node works on the next answer while this one is read.
    private func arrived(_ message: UnsafeRawBufferPointer) {
        guard state.withLock({ !$0.readingAhead.isEmpty }), let end = ChainEnd(message),
            state.withLock({ $0.readingAhead.contains(end.requestID) })
        else { return }
        readAhead(from: end.hash)
    }

    /// Asks from `start` on, once; what was asked ahead of another block is forgotten.
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

    /// What was asked ahead, if it was from `start` and lately; the rest is forgotten.
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
    /// The last chain block that an answer about the virtual chain adds.
    fileprivate var lastAdded: BlockHash? {
        guard case .getVirtualChainFromBlockV2Response(let message) = payload, !message.hasError else { return nil }
        return message.addedChainBlockHashes.last.flatMap { BlockHash($0) }
    }
}

extension Protowire_KaspadResponse.OneOf_Payload {
    /// Whether the node says this unasked.
    var isNotification: Bool {
        switch self {
        case .blockAddedNotification, .virtualChainChangedNotification, .virtualDaaScoreChangedNotification: true
        default: false
        }
    }
}
