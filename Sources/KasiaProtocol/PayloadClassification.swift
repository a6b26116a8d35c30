/// What `PayloadGrammar` makes of a transaction's payload.
public enum PayloadClassification: Equatable, Sendable {
    /// Empty, without one of our roots, or a root with nothing after it.
    case notOurs
    /// The first version's mark, then no kind that is known: counted, never an error.
    case unknown
    /// A known kind whose fields are not as the grammar wants them; the writer's fault.
    case malformed(OperationKind)
    /// A well-formed operation. Whether its sender is who it seems to be is not the grammar's business.
    case operation(PayloadOperation)
}
