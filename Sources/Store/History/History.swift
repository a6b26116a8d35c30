/// What the chain says: the cursor, operations with their lists and acceptances, plain transfers, activity and its
/// changes, senders that are still unknown, and how long all of it is kept.
///
/// It tells the outbox of each accepted operation (`WriteTransaction.enqueue`), of an event to take back (`withdraw`) and
/// of a push that the chain took back (`noteReverted`), all in its own batch. It asks the registry one thing: which
/// addresses are watched (`WatchedAddresses`).
public struct History: StorePart {
    let engine: StoreEngine
}
