/// What sending took, a sample for each turn.
struct SendFigures {
    /// Notifications a second.
    private(set) var rate = Samples()
    /// Processor time for each notification, microseconds: the sender's and its server's.
    private(set) var senderTime = Samples()
    private(set) var serverTime = Samples()

    /// Adds a turn of `count` notifications; all times are in seconds.
    mutating func add(_ count: Int, seconds: Double, sender: Double, server: Double) {
        rate.add(Double(count) / seconds)
        senderTime.add(sender / Double(count) * 1e6)
        serverTime.add(server / Double(count) * 1e6)
    }
}
