/// A token bucket: how many messages may be sent now, so that a quota for each minute is kept without being refused.
///
/// At most one second's worth may be sent at once. Times are milliseconds of a clock that does not go back.
struct MessageRate: Sendable {
    /// What a message costs; each millisecond brings as much as messages may be sent in a minute.
    private static let price: UInt64 = 60_000

    private let perMinute: UInt64
    private let most: UInt64
    private var credit: UInt64
    private var countedAt: UInt64

    /// Begins with a second's worth; at least one message a minute may be sent.
    init(perMinute: Int, now: UInt64) {
        self.perMinute = UInt64(max(1, perMinute))
        most = max(MessageRate.price, self.perMinute * 1_000)
        credit = most
        countedAt = now
    }

    /// Takes the right to send one message; else returns how long until one may be sent.
    mutating func take(now: UInt64) -> Duration? {
        let passed = min(now - min(now, countedAt), MessageRate.price)
        countedAt = max(now, countedAt)
        credit = min(most, credit + passed * perMinute)
        if credit >= MessageRate.price {
            credit -= MessageRate.price
            return nil
        }
        let missing = MessageRate.price - credit
        return .milliseconds(Int64((missing + perMinute - 1) / perMinute))
    }
}
