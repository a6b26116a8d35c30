import Foundation

extension IndexerError {
    /// What a transport reports.
    init(_ error: TransportError) {
        let kind: Kind =
            switch error {
            case .unreachable: .unreachable
            case .timedOut: .timedOut
            case .tooLong: .unexpectedAnswer
            case .cancelled: .cancelled
            }
        self.init(kind, message: error.description)
    }

    /// An answer whose status is not the one that was hoped for.
    init(refusal answer: TransportAnswer) {
        self.init(.refused, message: "The service answered with status \(answer.status).", answer)
        guard answer.status >= 400 else {
            kind = .unexpectedAnswer
            return
        }
        guard answer.body.isShallowJSON, let refusal = try? JSONDecoder().decode(Refusal.self, from: answer.body)
        else { return }
        message = refusal.error
        code = refusal.code
        expectedText = refusal.expectedText
    }

    /// An answer of the right status that is not what was hoped for.
    static func unexpected(_ message: String, _ answer: TransportAnswer) -> IndexerError {
        IndexerError(.unexpectedAnswer, message: message, answer)
    }

    private init(_ kind: Kind, message: String, _ answer: TransportAnswer) {
        self.init(
            kind, message: message, status: answer.status,
            retryAfter: answer.headers["Retry-After"].flatMap(IndexerError.wait),
            requestID: answer.headers["x-request-id"])
    }

    /// The longest wait that is believed: a day.
    private static let longestWait = 86_400

    /// The wait that a `Retry-After` in seconds asks for; the service sends no dates.
    private static func wait(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return .seconds(min(Int(text) ?? longestWait, longestWait))
    }

    /// The body of every error.
    private struct Refusal: Decodable {
        let error: String
        let code: IndexerErrorCode?
        let expectedText: String?

        private enum CodingKeys: String, CodingKey {
            case error, code
            case expectedText = "expected_text"
        }
    }
}
