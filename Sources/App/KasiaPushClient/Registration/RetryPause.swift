/// The pause after trouble that waiting may heal: no network, 408, 429 and 5xx.
///
/// It holds for all changes of a manager, since the trouble is the service's and not one token's.
struct RetryPause: Hashable, Sendable, Codable {
    /// The pauses after the first, second, … failure in a row, in seconds; the last one from then on.
    static let seconds: [Int64] = [5, 30, 120, 600, 3_600]
    /// The longest wait that a service may ask for, in milliseconds: a day.
    static let maximumWait: Int64 = 86_400_000
    /// Up to half a pause is added, of a long one half an hour, so that phones do not come back all at once.
    static let maximumExtra = 0.5
    private static let longestExtended: Int64 = 3_600_000

    private(set) var failures = 0
    private(set) var until: Int64 = 0
    /// Why there is a pause; nil if there is none.
    private(set) var problem: RegistrationProblem?
    private var length: Int64 = 0
    /// Whether the service itself has named the time: then it is not shortened.
    private var isAsked = false

    /// Begins a pause.
    ///
    /// - Parameters:
    ///   - problem: What the app is told meanwhile.
    ///   - retryAfter: What the service asks for.
    ///   - now: Milliseconds since 1970.
    ///   - chance: A random number from 0 to 1.
    mutating func begin(because problem: RegistrationProblem, retryAfter: Duration?, now: Int64, chance: Double) {
        let usual = RetryPause.seconds[min(failures, RetryPause.seconds.count - 1)] * 1_000
        let asked = min(max(retryAfter?.wholeMilliseconds ?? 0, 0), RetryPause.maximumWait)
        let wait = max(usual, asked)
        length = wait + Int64(Double(min(wait, RetryPause.longestExtended)) * RetryPause.maximumExtra * chance)
        until = now + length
        failures += 1
        isAsked = asked > 0
        self.problem = problem
    }

    /// Ends the pause: the service has answered.
    mutating func end() { self = RetryPause() }

    /// Lets the next try be made now, unless the service has named the time.
    mutating func hurry(now: Int64) {
        if !isAsked { until = min(until, now) }
    }

    /// Corrects an end that a clock set back has moved away.
    mutating func limit(now: Int64) { until = min(until, now + length) }
}

extension Duration {
    /// In milliseconds, rounded up, at most a year.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = min(self, .seconds(31_536_000)).components
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
