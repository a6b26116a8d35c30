/// Which pushes have arrived, for the app to store: what `GapTracker` knows.
///
/// A later version of the library reads what an earlier one wrote. Without it (nil) the tracker asks for all that the
/// service has kept. A push of a former registration that comes late is taken for one of the present numbers.
public struct GapState: Hashable, Sendable, Codable {
    /// Numbers beyond a gap that are kept; pushes with others are fetched once more.
    static let maximumAhead = 64

    /// Whose numbers these are; nil before the first registration, and after one that is gone.
    private(set) var numbering: PushNumbering?
    /// Up to this number the app has every push, or was told to read the lists.
    private(set) var last: UInt64 = 0
    /// Numbers that arrived beyond a gap, in order.
    private(set) var ahead: [UInt64] = []
    /// Whether `/v1/push/missed` has to be asked: since the start, or because of a gap.
    private(set) var mustAsk = true
    /// The order to read the lists that was not carried out yet.
    private(set) var lists: ListOrder?
    private var orders: UInt64 = 0

    init() {}

    /// The app has started or has come to the foreground: pushes may be missing behind the last one, too.
    mutating func start() { mustAsk = true }

    /// Begins anew if the numbers are those of another registration.
    mutating func use(_ numbering: PushNumbering) {
        guard numbering != self.numbering else { return }
        beginAnew()
        self.numbering = numbering
    }

    /// Takes the number of a push that has arrived.
    mutating func receive(_ sequence: UInt64) {
        guard sequence > last, !ahead.contains(sequence) else { return }
        if sequence > next { mustAsk = true }
        guard ahead.count < GapState.maximumAhead || sequence == next else { return }
        ahead.append(sequence)
        ahead.sort()
        closeUp()
    }

    /// Takes a page that was asked for after `last`, once the app has kept its pushes; whether there is no other.
    ///
    /// If the service has given out fewer numbers than are known, they are those of a new registration, and everything
    /// is asked for again. `before` is what `ahead` was when the page was asked for: what the service does not know of
    /// it belongs to a former registration.
    mutating func take(_ page: MissedPushes, before: [UInt64]) -> Bool {
        guard page.latestSequence >= last else {
            beginAnew()
            return false
        }
        if page.latestSequence > last, page.oldestSequence.map({ $0 > next }) ?? true { orderLists() }
        let end = min(page.items.last?.sequence ?? page.latestSequence, page.latestSequence)
        let isComplete = end <= last || end == page.latestSequence
        last = max(last, end)
        closeUp()
        guard isComplete else { return false }
        ahead.removeAll { before.contains($0) }
        mustAsk = !ahead.isEmpty
        return true
    }

    /// The service does not know the device: nothing was pushed to it lately.
    mutating func registrationIsGone() {
        beginAnew()
        numbering = nil
        mustAsk = false
    }

    /// The app has read the lists on this order.
    mutating func listsWereRead(_ order: ListOrder) {
        if lists == order { lists = nil }
    }

    private var next: UInt64 { last == .max ? .max : last + 1 }

    /// What was told, or not told, under the former numbers is in the lists alone.
    private mutating func beginAnew() {
        last = 0
        ahead = []
        mustAsk = true
        orderLists()
    }

    private mutating func orderLists() {
        orders += 1
        lists = ListOrder(number: orders)
    }

    private mutating func closeUp() {
        ahead.removeAll { $0 <= last }
        while let first = ahead.first, first == next { last = ahead.removeFirst() }
    }
}

/// An order to read the lists of messages, since more pushes are gone than the service has kept.
///
/// Read them from before the last thing that the app has, and call `GapTracker.listsWereRead` afterwards.
public struct ListOrder: Hashable, Sendable, Codable {
    let number: UInt64
}
