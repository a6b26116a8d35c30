import HTTP2Client

extension APNsOutcome {
    /// The meaning of an answer whose end did not come.
    ///
    /// Most refusals are judged by the reason in their body. Without it nobody knows whose mistake it was: IdleTimeout,
    /// a 400, is what a connection says that is being closed, and must not cost the notification. So it is sent again.
    init(cutShort answer: APNsAnswer, requestID: String) {
        let isJudgedByReason =
            switch answer.status {
            case 408, 413, 429: false  // their status says all
            case 400..<500: answer.reason == nil
            default: false
            }
        if !isJudgedByReason {
            self.init(answer, requestID: requestID)
        } else if answer.status == 410 {
            // All its reasons are that the token is gone; since when, was in the body: only a strike.
            self = .tokenInvalid(.unregistered)
        } else {
            self = .transport(.reset)
        }
    }
}
