/// Names one output of one transaction.
public struct Outpoint: Hashable, Sendable {
    /// The transaction that made the output.
    public var transactionID: TransactionID

    /// The output's place among the transaction's outputs, from 0.
    public var index: UInt32

    /// Names an output.
    public init(transactionID: TransactionID, index: UInt32) {
        self.transactionID = transactionID
        self.index = index
    }
}

extension Outpoint: CustomStringConvertible {
    /// The transaction's hash, a colon and the index.
    public var description: String {
        "\(transactionID):\(index)"
    }
}
