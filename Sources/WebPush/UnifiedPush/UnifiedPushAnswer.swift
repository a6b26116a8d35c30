import HTTP2Client
import JSON

/// Whether an endpoint belongs to a distributor of UnifiedPush.
public enum UnifiedPushAnswer: Sendable, Equatable {
    /// It says so.
    case yes
    /// It does not; the text is the rest of a sentence that begins with the endpoint's name.
    case no(String)

    /// The longest answer that is read, in bytes.
    static let maximumBytes = 4_096

    /// Reads `{"unifiedpush":{"version":1}}`; other members are ignored.
    init(_ ending: OriginSender.Ending) {
        switch ending {
        case .answered(let answer, isComplete: true): self.init(answer)
        case .answered: self = .no("did not answer in full")
        case .failed(let failure): self = .no("could not be asked: \(failure.words)")
        case .abandoned, .stopped: self = .no("did not answer in time")
        }
    }

    private init(_ answer: HTTPAnswer) {
        guard answer.status == 200 else {
            self = .no("answered HTTP \(answer.status) to a GET")
            return
        }
        guard answer.body.count <= UnifiedPushAnswer.maximumBytes, let body = try? JSONParser.parse(answer.body),
            case .object(let members) = body, case .object(let about)? = members["unifiedpush"],
            about["version"] == .integer(1)
        else {
            self = .no(#"did not answer {"unifiedpush":{"version":1}} to a GET"#)
            return
        }
        self = .yes
    }
}
