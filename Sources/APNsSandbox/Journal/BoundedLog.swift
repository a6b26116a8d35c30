import DequeModule

/// The newest entries of a sequence: bounded by count and by the bytes of their bodies, numbered from the beginning.
struct BoundedLog: Sendable {
    /// Bytes; a full log of the largest bodies would otherwise take 400 MB.
    static let byteLimit = 256 * 1024 * 1024

    private let capacity: Int
    /// The entries kept, oldest first.
    private(set) var entries: Deque<ReceivedNotification> = []
    private var bytes = 0
    /// Entries ever added.
    private(set) var total = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    mutating func append(_ entry: ReceivedNotification) {
        entries.append(entry)
        bytes += entry.body.count
        total += 1
        while count > capacity || (bytes > Self.byteLimit && count > 1) { dropOldest() }
    }

    mutating func removeAll() {
        entries = []
        (bytes, total) = (0, 0)
    }

    private mutating func dropOldest() { bytes -= entries.removeFirst().body.count }
}
