import HTTP2Client
import Spans
import Tracing

extension APNsRequest {
    /// The path with the token left out.
    static let pathTemplate = "/3/device/{token}"
    /// What the span of one request to Apple is called.
    static let spanName = "POST \(pathTemplate)"
}

extension Span {
    /// Tells where a request goes; neither to which device nor with what.
    func describe(requestTo server: ServerAddress, after attempts: Int) {
        describe {
            $0[.httpMethod] = "POST"
            $0[.urlScheme] = "https"
            $0[.urlTemplate] = APNsRequest.pathTemplate
            $0[.protocolVersion] = "2"
            $0.set(server)
            if attempts > 0 { $0[.httpResends] = attempts }
        }
    }

    /// Tells what came back.
    func describe(_ ending: Exchange.Ending) {
        switch ending {
        case .answered(let whole, _):
            let answer = APNsAnswer(whole)
            describe {
                $0[.httpStatus] = answer.status
                $0[.apnsReason] = answer.reason.map { APNsReason(rawValue: $0)?.rawValue ?? "Unknown" }
            }
            if answer.status >= 400 { failed("\(answer.status)") }
        case .failed(let failure): failed(failure.label)
        case .handedBack: failed("handed_back")
        case .abandoned: failed("abandoned")
        }
    }
}
