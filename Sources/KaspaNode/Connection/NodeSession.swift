import Spans
import SwiftProtobuf
import Synchronization
import Tracing

/// Requests and answers over one connection, matched by id; it lives as long as that connection.
final class NodeSession: NodeRequests {
    typealias Answer = NodeResponse
    private typealias Waiter = AsyncStream<Result<Answer, NodeError>>.Continuation

    private let table: Mutex<RequestTable<Waiter>>
    private let requests: AsyncStream<Protowire_KaspadRequest>
    /// Holds no more than the table's limit: only admitted requests are put in.
    private let outgoing: AsyncStream<Protowire_KaspadRequest>.Continuation
    private let transport: NodeTransport

    init(transport: NodeTransport) {
        self.transport = transport
        table = Mutex(RequestTable(limit: transport.configuration.maximumOutstandingRequests))
        (requests, outgoing) = AsyncStream.makeStream(of: Protowire_KaspadRequest.self)
    }

    /// Connects and serves requests until the connection ends, and says why it did; notifications go to `notify`, one
    /// at a time.
    func run(notify: @escaping @Sendable (Answer) async -> Void) async -> NodeError {
        var end = NodeError(.transport, "the node ended the stream")
        do {
            try await transport.exchange(requests) { response in
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
            end = NodeError(.transport, "\(error)")
        }
        outgoing.finish()
        for waiter in table.withLock({ $0.close(end) }) {
            waiter.yield(.failure(end))
        }
        return end
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

    private func answer(
        to payload: Protowire_KaspadRequest.OneOf_Payload, timeout: Duration?
    ) async throws(NodeError) -> Answer {
        // One element: the first of answer, timeout and the connection's end counts, whoever takes it from the table.
        let (answers, waiter) = AsyncStream.makeStream(
            of: Result<Answer, NodeError>.self, bufferingPolicy: .bufferingOldest(1))
        let id: UInt64
        switch table.withLock({ $0.admit(waiter) }) {
        case .admitted(let admitted): id = admitted
        case .full: throw NodeError(.busy, "too many requests wait for an answer already")
        case .closed(let error): throw error
        }
        outgoing.yield(
            .with {
                $0.id = id
                $0.payload = payload
            })

        // Cancelled and awaited when this returns.
        async let _: Void = giveUp(id, after: timeout ?? transport.configuration.requestTimeout)
        let answer = await answers.first { _ in true }
        _ = table.withLock { $0.take(id) }
        guard let answer else { throw NodeError(.cancelled, "the request was cancelled") }
        return try answer.get()
    }

    private func settle(_ id: UInt64, _ answer: Result<Answer, NodeError>) {
        table.withLock { $0.take(id) }?.yield(answer)
    }

    private func giveUp(_ id: UInt64, after timeout: Duration) async {
        do { try await Task.sleep(for: timeout) } catch { return }
        settle(id, .failure(NodeError(.timeout, "no answer within \(timeout)")))
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
