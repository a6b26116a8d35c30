import HTTP2Client
import JSON

/// An access token as Google gave it, and how long it is good for.
struct AccessTokenAnswer: Sendable, Equatable {
    let token: AccessToken
    /// From the request on.
    let lifetime: Duration

    /// The lifetimes that are believed; one outside of them is brought inside.
    static let lifetimes = Duration.seconds(60)...Duration.seconds(86_400)
    /// The longest name of an error that is kept, in bytes.
    static let maximumNameBytes = 64
    /// The longest text about an error that is kept, in bytes.
    static let maximumDetailBytes = 120

    /// Reads how a request to the token endpoint ended.
    ///
    /// - Throws: Why there is no token.
    init(_ ending: OriginSender.Ending) throws(AccessTokenError) {
        switch ending {
        case .answered(let answer, isComplete: true): try self.init(answer)
        // Whatever its beginning was: it is asked again.
        case .answered(_, isComplete: false): throw .unavailable(TransportFailure.reset.words)
        case .failed(let failure): throw .unavailable(failure.words)
        case .abandoned, .stopped: throw .stopped
        }
    }

    private init(_ answer: HTTPAnswer) throws(AccessTokenError) {
        let members: [String: JSONValue] =
            if case .object(let members)? = try? JSONParser.parse(answer.body) { members } else { [:] }
        guard answer.status == 200 else { throw AccessTokenAnswer.error(answer, members) }
        guard case .string(let text)? = members["access_token"], let token = AccessToken(text),
            let seconds = AccessTokenAnswer.seconds(members["expires_in"])
        else { throw .unavailable("its answer cannot be read") }
        self.token = token
        let lifetimes = AccessTokenAnswer.lifetimes
        lifetime = min(max(.seconds(seconds), lifetimes.lowerBound), lifetimes.upperBound)
    }

    /// RFC 6749 wants a number; some services write a text.
    private static func seconds(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let seconds): Int64(clamping: min(seconds, 86_400))
        case .string(let text): Int64(text).map { min($0, 86_400) }
        default: nil
        }
    }

    /// What an answer without a token says.
    ///
    /// All that the request's own fault can be is a refusal; a server that is unwell, or has too much to do, is not.
    private static func error(_ answer: HTTPAnswer, _ members: [String: JSONValue]) -> AccessTokenError {
        let name = text(members["error"], longest: maximumNameBytes) { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
        let details = text(members["error_description"], longest: maximumDetailBytes) { (0x20...0x7e).contains($0) }
        switch answer.status {
        case 408, 429, 300..<400, 500...:
            return .unavailable(
                "HTTP \(answer.status)\(name.map { " \($0)" } ?? "")", answer["retry-after"].flatMap(RetryAfter.init))
        default: return .refused(name, status: answer.status, details: details)
        }
    }

    /// The beginning of a text, of the bytes that may stand in a log; nil when nothing is left.
    private static func text(_ value: JSONValue?, longest: Int, _ isKept: (UInt8) -> Bool) -> String? {
        guard case .string(let text)? = value else { return nil }
        let kept = text.utf8.filter(isKept).prefix(longest)
        return kept.isEmpty ? nil : String(decoding: kept, as: UTF8.self)
    }
}
