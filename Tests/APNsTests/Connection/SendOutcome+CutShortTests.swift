import HTTP2Client
import Testing

@testable import APNs

@Suite("Answers that were cut short")
struct SendOutcomeCutShortTests {
    private func outcome(_ answer: APNsAnswer) -> APNsOutcome { APNsOutcome(cutShort: answer, requestID: "mine") }

    @Test(
        "are sent again when only their body could have told what they mean",
        arguments: [400, 401, 403, 404, 405, 409, 411, 499])
    func unjudged(status: Int) {
        #expect(outcome(APNsAnswer(status: status)) == .transport(.reset))
    }

    @Test("of 410 are a strike, since nobody knows when the token went")
    func gone() { #expect(outcome(APNsAnswer(status: 410)) == .tokenInvalid(.unregistered)) }

    @Test("are judged by their status where that says all", arguments: [200, 204, 301, 408, 413, 429, 500, 502, 503])
    func judged(status: Int) {
        let answer = APNsAnswer(status: status, retryAfter: .seconds(9))
        #expect(outcome(answer) == APNsOutcome(answer, requestID: "mine"))
    }

    @Test("are judged like others when their reason came", arguments: answerTable)
    func complete(status: Int, reason: String, expected: APNsOutcome) {
        #expect(outcome(APNsAnswer(status: status, reason: reason)) == expected)
    }

    @Test("whose reason came, but is not known, are not sent again")
    func unknown() {
        let unknown = outcome(APNsAnswer(status: 400, reason: "Novelty"))
        #expect(unknown == .unknown(status: 400, reason: "Novelty", retryAfter: nil))
    }
}
