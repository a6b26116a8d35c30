import HTTPTypes
import Hummingbird
import Metrics
import Store

/// Runs reads of the history, client by client, within each client's allowance.
///
/// A client is an address or an IPv6 /64, as for `RateLimiter`.
struct Reads: Sendable {
    /// Why a read was refused: the metric's label.
    private enum Refusal: String {
        case allowance
        case queueFull = "queue_full"
    }

    /// Reads at once, for all clients together: one for each of the store's threads for history.
    ///
    /// So a stranger's slow read delays neither the chain nor registrations.
    static let atOnce = 2
    /// The most waiting reads, not counting replays of streams.
    ///
    /// With reads of 10 ms, the wait is a third of a second.
    static let waiting = 64
    /// `Retry-After` when the queue is full, seconds.
    static let retryAfter = 1

    private let turns: ClientTurns
    private let timeLimiter: ReadTimeLimiter?
    private let proxies: TrustedProxies
    private let now: @Sendable () -> ContinuousClock.Instant
    private let rows: Int

    /// If `configuration.rateLimitPerMinute` is 0, reads have no limit either.
    ///
    /// `now` measures the time of reads.
    init(_ configuration: APIConfiguration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        turns = ClientTurns(
            atOnce: Reads.atOnce, waiting: configuration.waitingReads, gauge: Gauge(label: "kasia_reads_waiting"))
        rows = configuration.rowsPerRead
        timeLimiter = configuration.rateLimitPerMinute > 0 ? ReadTimeLimiter() : nil
        proxies = TrustedProxies(configuration.trustedProxies)
        self.now = now
    }

    /// The client that a read counts for; empty without a socket.
    func client(_ request: Request, _ context: APIRequestContext) -> [UInt8] {
        proxies.client(of: request, context)?.limitKey ?? []
    }

    /// The answer 200 with the result of `read`.
    ///
    /// Errors, both with `Retry-After`: 429 when the client has used up its allowance, 503 when too many reads wait.
    func response(
        to request: Request, _ context: APIRequestContext,
        _ read: @Sendable (ReadBudget) async throws -> JSONAnswer
    ) async throws -> Response {
        let client = client(request, context)
        try admit(client)
        return try await run(client) { JSONAnswer.response(.ok, try await read($0)) }
    }

    /// Errors: 429 when the client has used up its allowance.
    func admit(_ client: [UInt8]) throws {
        guard let wait = timeLimiter?.wait(client, now: now()) else { return }
        count(.allowance)
        throw APIError.tooMany("reads from this address", wait: wait)
    }

    /// Runs one read, and charges its time to the client.
    ///
    /// Errors: 503 when too many reads wait, unless this one is exempt; those of `read`.
    func run<Result: Sendable>(
        _ client: [UInt8], isExempt: Bool = false, _ read: @Sendable (ReadBudget) async throws -> Result
    ) async throws -> Result {
        do {
            return try await turns.run(for: client, isExempt: isExempt) {
                let started = now()
                defer {
                    let ended = now()
                    timeLimiter?.charge(client, ended - started, now: ended)
                }
                return try await read(ReadBudget(rows: rows, until: started + ReadBudget.time, now: now))
            }
        } catch is TooManyWaiting {
            count(.queueFull)
            throw APIError(
                status: .serviceUnavailable, message: "too many reads are waiting: try again in a second",
                headers: [.retryAfter: "\(Reads.retryAfter)"])
        }
    }

    private func count(_ refusal: Refusal) {
        Counter(label: "kasia_reads_refused_total", dimensions: [("reason", refusal.rawValue)]).increment()
    }
}
