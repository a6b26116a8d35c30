/// Rows of `meta` that all processes of a store that is shared out read and write.
package protocol SharedValues: Sendable {
    /// The value under a key; nil if there is none.
    func value(of key: [UInt8]) async throws(StoreError) -> [UInt8]?

    /// Puts `new` in the place of `old`, or of nothing; returns what stands there then, which is another process's if that
    /// was faster.
    ///
    /// Durable on return.
    func replace(_ key: [UInt8], _ old: [UInt8]?, by new: [UInt8]) async throws(StoreError) -> [UInt8]
}
