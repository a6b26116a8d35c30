import HTTPTypes
import Hummingbird
import Metrics
import Store

/// Reads of the chain's history: on threads of their own, in each client's turn, within its allowance.
///
/// A client is an address or an IPv6 /64, as for `RateLimiter`.
struct Reads: Sendable {
    /// Why a read was refused, as the metric has it.
    private enum Refusal: String {
        case allowance
        case queueFull = "queue_full"
    }

    private let pool: ReadPool
    private let allowance: WorkAllowance?
    private let proxies: TrustedProxies
    private let now: @Sendable () -> ContinuousClock.Instant
    private let rows: Int

    /// `configuration.rateLimitPerMinute` 0 leaves reads without an allowance, too; `now` measures what a read takes.
    init(_ configuration: APIConfiguration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        pool = ReadPool(waiting: configuration.waitingReads)
        rows = configuration.rowsPerRead
        allowance = configuration.rateLimitPerMinute > 0 ? WorkAllowance() : nil
        proxies = TrustedProxies(configuration.trustedProxies)
        self.now = now
    }

    /// Whom a read counts for; empty without a socket.
    func client(_ request: Request, _ context: APIRequestContext) -> [UInt8] {
        proxies.client(of: request, context)?.limitKey ?? []
    }

    /// The answer 200 with what `read` makes of the store.
    ///
    /// Errors: 429 when the client has used up its allowance, 503 when too many reads wait; both with `Retry-After`.
    func response(
        to request: Request, _ context: APIRequestContext,
        _ read: @escaping @Sendable (ReadBudget) throws -> JSONAnswer
    ) async throws -> Response {
        let client = client(request, context)
        try admit(client)
        return try await run(client) { JSONAnswer.response(.ok, try read($0)) }
    }

    /// Errors: 429 when the client has used up its allowance.
    func admit(_ client: [UInt8]) throws {
        guard let wait = allowance?.wait(client, now: now()) else { return }
        count(.allowance)
        throw APIError.tooMany("reads from this address", wait: wait)
    }

    /// Runs one read on a thread, and counts what it took.
    ///
    /// Errors: 503 when too many wait, which does not meet a patient one; those of `read`.
    func run<Result: Sendable>(
        _ client: [UInt8], isPatient: Bool = false, _ read: @escaping @Sendable (ReadBudget) throws -> Result
    ) async throws -> Result {
        do {
            return try await pool.run(for: client, isPatient: isPatient) { [allowance, now, rows] in
                let started = now()
                defer {
                    let ended = now()
                    allowance?.charge(client, ended - started, now: ended)
                }
                return try read(ReadBudget(rows: rows, until: started + ReadBudget.time, now: now))
            }
        } catch is ReadPoolFull {
            count(.queueFull)
            throw APIError(
                status: .serviceUnavailable, message: "too many reads are waiting: try again in a second",
                headers: [.retryAfter: "\(ReadPool.retryAfter)"])
        }
    }

    private func count(_ refusal: Refusal) {
        Counter(label: "kasia_reads_refused_total", dimensions: [("reason", refusal.rawValue)]).increment()
    }
}
