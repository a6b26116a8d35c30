import Kaspa
import Spans
import Store
import Tracing

/// The parts of a request's span that the step of its answer needs.
struct FetchTrace: Sendable {
    /// The request's context, which becomes the step's parent.
    let context: ServiceContext
    /// When the answer was complete.
    ///
    /// The step begins here, including its wait for the step before.
    let endedAt: DefaultTracerClock.Timestamp
    /// The node that answered; nil if the span does not record.
    let nodeURL: String?

    /// `nodeURL` is evaluated only if the span records.
    init(_ span: any Span, nodeURL: @autoclosure () -> String?) {
        context = span.context
        endedAt = DefaultTracerClock.now
        self.nodeURL = span.isRecording ? nodeURL() : nil
    }
}

extension Span {
    /// Records how far the virtual chain moved.
    func describe(_ update: VirtualChainUpdate, from nodeURL: @autoclosure () -> String?) {
        describe {
            $0[.nodeURL] = nodeURL()
            $0[.blocksAdded] = update.added.count
            $0[.blocksRemoved] = update.removed.count
            $0[.transactions] = update.transactionCount
        }
    }

    /// Records how many operations and transfers the step has, and its cursor.
    func describe(_ step: ChainStep) {
        describe {
            $0[.operations] = step.accepted.count
            $0[.transfers] = step.transfers.count
            $0[.cursor] = step.cursor.blockHash.description
            $0[.daaScore] = Int(clamping: step.cursor.daaScore)
        }
    }

    /// Records the result of the store's write.
    func describe(_ result: ChainStepResult) {
        describe {
            $0[.accepted] = result.accepted
            $0[.reverted] = result.reverted
            $0[.events] = result.enqueued.values.reduce(0, +)
            $0[.unresolved] = result.unresolved
        }
    }
}

extension SpanOrigins<TransactionID> {
    /// Remembers the span for every transaction of the step that may lead to a push.
    ///
    /// Call it before the step is written: from then on the dispatcher may ask.
    func remember(_ context: ServiceContext, for step: ChainStep) {
        for accepted in step.accepted where accepted.notifies {
            remember(context, for: accepted.operation.transactionID)
        }
        for transfer in step.transfers where transfer.push == .due {
            remember(context, for: transfer.record.transactionID)
        }
    }
}
