import Kaspa
import Spans
import Store
import Tracing

/// What is kept of a question's span, for the step that its answer leads to.
struct FetchTrace: Sendable {
    /// The step belongs to the question's trace, or to nobody's.
    let context: ServiceContext
    /// When the whole answer was there: from then on its step lasts, a wait for the step before included.
    let endedAt: DefaultTracerClock.Timestamp
    /// The node that answered; nil when nobody reads it.
    let nodeURL: String?

    /// `nodeURL` is only looked for if the span records.
    init(_ span: any Span, nodeURL: @autoclosure () -> String?) {
        context = span.context
        endedAt = DefaultTracerClock.now
        self.nodeURL = span.isRecording ? nodeURL() : nil
    }
}

extension Span {
    /// Tells how much the virtual chain moved.
    func describe(_ update: VirtualChainUpdate, from nodeURL: @autoclosure () -> String?) {
        describe {
            $0[.nodeURL] = nodeURL()
            $0[.blocksAdded] = update.added.count
            $0[.blocksRemoved] = update.removed.count
            $0[.transactions] = update.transactionCount
        }
    }

    /// Tells what of it is ours, and where the chain stands after it.
    func describe(_ step: ChainStep) {
        describe {
            $0[.operations] = step.accepted.count
            $0[.transfers] = step.transfers.count
            $0[.cursor] = step.cursor.blockHash.description
            $0[.daaScore] = Int(clamping: step.cursor.daaScore)
        }
    }

    /// Tells what the store made of it.
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
    /// Remembers the span for all in the step that somebody may have to be told of.
    ///
    /// Before the step is written: from then on the dispatcher may ask.
    func remember(_ context: ServiceContext, for step: ChainStep) {
        for accepted in step.accepted where accepted.notifies {
            remember(context, for: accepted.operation.transactionID)
        }
        for transfer in step.transfers where transfer.push == .due {
            remember(context, for: transfer.record.transactionID)
        }
    }
}
