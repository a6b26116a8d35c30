import HTTP2Client
import JSON

/// What came back for one message.
struct FCMAnswer: Sendable, Equatable {
    /// The HTTP status.
    var status: Int
    /// Google's code, at most 64 bytes of `A-Z a-z 0-9 _`: of `FcmError`, else the error's `status`; nil without one.
    var code: String?
    /// When Google asks to be tried again.
    var retryAfter: RetryAfter?
    /// Whether the answer calls the registration token wrong.
    ///
    /// A field violation names `message.token`, or the message says that the registration token is not valid.
    var namesToken: Bool
    /// Whether a quota that is used up is the device's own.
    ///
    /// The message, or a violation's subject, description or field, has the word `device`, or names `message.token`.
    /// Google's words for the project's own quota have neither.
    var namesDevice: Bool

    /// The answers' header fields that mean something.
    static let fields = ["retry-after"]
    /// The longest code that is kept, in bytes.
    static let maximumCodeBytes = 64
    /// The most details, and violations in each, that are looked at.
    static let maximumDetails = 16

    /// Takes the parts as they are.
    init(
        status: Int, code: String? = nil, retryAfter: RetryAfter? = nil, namesToken: Bool = false,
        namesDevice: Bool = false
    ) {
        self.status = status
        self.code = code
        self.retryAfter = retryAfter
        self.namesToken = namesToken
        self.namesDevice = namesDevice
    }

    /// Reads an answer; a body that is not the expected JSON says nothing.
    init(_ answer: HTTPAnswer) {
        self.init(status: answer.status, retryAfter: answer["retry-after"].flatMap(RetryAfter.init))
        guard status != 200, let body = try? JSONParser.parse(answer.body), let error = body["error"] else { return }
        let details = error["details"].list
        code =
            details.lazy.filter { $0["@type"].text?.hasSuffix(".FcmError") == true }
            .compactMap { $0["errorCode"].text.flatMap(FCMAnswer.code) }.first
            ?? error["status"].text.flatMap(FCMAnswer.code)
        let message = error["message"].text?.lowercased() ?? ""
        let fieldViolations = details.flatMap { $0["fieldViolations"].list }
        let quotaViolations = details.flatMap { $0["violations"].list }
        namesToken =
            fieldViolations.contains { $0["field"].text == "message.token" }
            || message.contains("registration token")
                && (message.contains("not a valid") || message.contains("invalid"))
        let texts = (fieldViolations + quotaViolations).flatMap { violation in
            ["subject", "description", "field"].compactMap { violation[$0].text?.lowercased() }
        }
        namesDevice = ([message] + texts).contains { $0.contains("device") || $0.contains("message.token") }
    }

    /// The code if it is known, and Google gives it with this status.
    var reason: FCMReason? {
        guard let reason = code.flatMap(FCMReason.init), reason.status == status else { return nil }
        return reason
    }

    /// The metric label: a known code, `Unknown`, or for a success `None`.
    var reasonLabel: String {
        if status == 200 { return "None" }
        return code.flatMap(FCMReason.init)?.rawValue ?? "Unknown"
    }

    /// The answer for logs and for `explain`: the code, or for one that the table does not have the status too.
    var text: String {
        if let reason { return reason.rawValue }
        return "HTTP \(status)\(code.map { " \($0)" } ?? "")"
    }

    /// A code as it may appear in a log; nil when nothing is left.
    private static func code(_ text: String) -> String? {
        let kept = text.utf8.lazy.filter { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }.prefix(maximumCodeBytes)
        return kept.isEmpty ? nil : String(decoding: Array(kept), as: UTF8.self)
    }
}

extension JSONValue {
    /// A member of an object; nil for another value, or when there is none.
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }
}

extension JSONValue? {
    fileprivate var text: String? {
        guard case .string(let text)? = self else { return nil }
        return text
    }

    /// The first elements of a list; none of another value.
    fileprivate var list: ArraySlice<JSONValue> {
        guard case .array(let values)? = self else { return [] }
        return values.prefix(FCMAnswer.maximumDetails)
    }
}
