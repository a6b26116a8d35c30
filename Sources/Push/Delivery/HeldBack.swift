import Store

/// Deliveries that were taken from the schedule and have to wait for others of their kind, the first first.
struct HeldBack {
    private var arriving: [ScheduleKey] = []
    /// The next one last.
    private var leaving: [ScheduleKey] = []

    mutating func add(_ key: ScheduleKey) { arriving.append(key) }

    mutating func next() -> ScheduleKey? {
        if leaving.isEmpty {
            leaving = arriving.reversed()
            arriving = []
        }
        return leaving.popLast()
    }
}
