/// What one read may cost: so many rows looked at, and so much time.
///
/// At its end the read returns what it has and where to go on. The first row is always granted, so that every read
/// makes progress.
public struct ReadBudget: Sendable {
    /// Rows that one read looks at, at most.
    public static let rows = 5_000
    /// Time that one read takes, beyond the row that it is at.
    public static let time = Duration.milliseconds(10)

    private var left: Int
    private let deadline: ContinuousClock.Instant?
    private let now: @Sendable () -> ContinuousClock.Instant
    private var hasBegun = false

    /// `rows` is at least 1; without a deadline only rows are counted; `now` is the deadline's clock.
    public init(
        rows: Int = ReadBudget.rows, until deadline: ContinuousClock.Instant? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        left = rows
        self.deadline = deadline
        self.now = now
    }

    /// Whether the time is over, or no row is left.
    public var isOver: Bool { left <= 0 || (deadline.map { now() >= $0 } ?? false) }

    /// Takes one row; false at the end of the budget.
    mutating func take() -> Bool {
        guard !hasBegun || !isOver else { return false }
        hasBegun = true
        left -= 1
        return true
    }
}
