/// The stream limit of a connection, which depends on its answers.
///
/// Pure state: the handler announces the limit.
struct StreamLimit {
    /// The limit when nothing lowers it.
    var ceiling: Int
    private let waitsForSuccess: Bool
    private let refusalsUntilOne: Int?
    private var hasSucceeded = false
    private var refusalsInARow = 0
    private(set) var announced: Int

    init(ceiling: Int, waitsForSuccess: Bool, refusalsUntilOne: Int?) {
        self.ceiling = ceiling
        self.waitsForSuccess = waitsForSuccess
        self.refusalsUntilOne = refusalsUntilOne
        announced = waitsForSuccess ? min(1, ceiling) : ceiling
    }

    /// Counts an answer.
    mutating func answered(success: Bool) {
        if success { hasSucceeded = true }
        refusalsInARow = success ? 0 : refusalsInARow + 1
    }

    /// The new limit if it has changed since the last call.
    mutating func change() -> Int? {
        let isLowered =
            (waitsForSuccess && !hasSucceeded) || refusalsUntilOne.map { refusalsInARow >= $0 } ?? false
        let limit = isLowered ? min(1, ceiling) : ceiling
        guard limit != announced else { return nil }
        announced = limit
        return limit
    }
}
