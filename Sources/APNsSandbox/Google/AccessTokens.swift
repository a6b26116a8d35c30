import FoundationEssentials
import Synchronization

/// The access tokens that the token endpoint has given out.
final class AccessTokens: Sendable {
    /// What is known of a token that a client presents.
    enum Verdict {
        case good, expired, unknown
    }

    /// The most tokens remembered; the oldest are forgotten first.
    static let capacity = 10_000

    private struct State {
        var ends: [String: Date] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())

    /// Gives out a new token, which is good until `end`.
    func issue(until end: Date) -> String {
        let token = "ya29." + Base64URL.encode((0..<48).map { _ in UInt8.random(in: 0 ... .max) })
        state.withLock { state in
            state.ends[token] = end
            state.order.append(token)
            if state.order.count > Self.capacity { state.ends[state.order.removeFirst()] = nil }
        }
        return token
    }

    func verdict(on token: String, at now: Date) -> Verdict {
        guard let end = state.withLock({ $0.ends[token] }) else { return .unknown }
        return now < end ? .good : .expired
    }
}
