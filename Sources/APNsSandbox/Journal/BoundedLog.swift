/// The newest entries of a sequence: bounded by count and by the bytes of their bodies, numbered from the beginning.
struct BoundedLog: Sendable {
    /// Bytes; a full log of the largest bodies would otherwise take 400 MB.
    static let byteLimit = 256 * 1024 * 1024

    private let capacity: Int
    private var ring: [ReceivedNotification] = []
    private var head = 0
    private var bytes = 0
    /// Entries ever added.
    private(set) var total = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { ring.count - head }

    /// The entries kept, oldest first.
    var entries: ArraySlice<ReceivedNotification> { ring[head...] }

    mutating func append(_ entry: ReceivedNotification) {
        ring.append(entry)
        bytes += entry.body.count
        total += 1
        while count > capacity || (bytes > Self.byteLimit && count > 1) { dropOldest() }
    }

    mutating func removeAll() {
        ring = []
        (head, bytes, total) = (0, 0, 0)
    }

    private mutating func dropOldest() {
        bytes -= ring[head].body.count
        ring[head].body = []
        head += 1
        // Moving the rest to the front only now and then makes a drop cost a constant on average.
        if head > capacity {
            ring.removeFirst(head)
            head = 0
        }
    }
}
