/// A row of one of the service's lists: an operation that a transaction carried.
public protocol OperationRow: Hashable, Sendable, Codable {
    /// The transaction, 64 hex digits: rows that come twice have the same.
    var transactionID: String { get }
    /// The block's time, milliseconds since 1970.
    var blockTime: UInt64 { get }
    /// The accepting block, 64 hex digits; nil until the virtual chain has accepted the transaction.
    ///
    /// It is nil again after a reorganisation took the transaction out.
    var acceptingBlock: String? { get }
    /// The accepting block's DAA score; nil as long as `acceptingBlock` is.
    var acceptingDAAScore: UInt64? { get }
    /// Its place in the list that it came in, to continue after; nil for an operation that was asked for by itself.
    var cursor: String? { get }
}
