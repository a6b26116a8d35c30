/// What the one writer remembers from one transaction to the next, so that it need not look for it.
package final class WriterMemory {
    let waiting = WaitingQueues()
    let lowerBounds = KeyLowerBounds()

    /// Nothing is known.
    package init() {}

    /// Takes over what a committed transaction noted.
    package func take(over transaction: WriteTransaction) {
        waiting.commit(transaction.waitingChanges)
        lowerBounds.commit(transaction.lowerBoundChanges)
    }
}
