import DequeModule

/// The newest entries of a log, limited in number and in the size of their bodies.
struct BoundedLog: Sendable {
    /// The most bytes of bodies.
    ///
    /// Without this limit, a full log of the largest bodies would take 400 MB.
    static let byteLimit = 256 * 1024 * 1024

    private let capacity: Int
    /// The entries kept, oldest first.
    private(set) var entries: Deque<ReceivedNotification> = []
    private var bytes = 0
    /// The number of entries ever added.
    private(set) var total = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    mutating func append(_ entry: ReceivedNotification) {
        entries.append(entry)
        bytes += entry.keptBytes
        total += 1
        while count > capacity || (bytes > Self.byteLimit && count > 1) { dropOldest() }
    }

    mutating func removeAll() {
        entries = []
        (bytes, total) = (0, 0)
    }

    private mutating func dropOldest() { bytes -= entries.removeFirst().keptBytes }
}

extension ReceivedNotification {
    fileprivate var keptBytes: Int { body.count + (contents?.count ?? 0) }
}
