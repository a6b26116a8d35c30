import Carriers
import HTTP2Client
import Testing

@testable import WebPush

@Suite("Web Push answers")
struct SendOutcomeTests {
    private static let wait = RetryAfter.seconds(30)

    @Test(
        "each status has its effect",
        arguments: [
            (200, SendOutcome.Effect.delivered, "delivered", "None"), (201, .delivered, "delivered", "None"),
            (202, .delivered, "delivered", "None"), (204, .delivered, "delivered", "None"),
            (299, .delivered, "delivered", "None"), (300, .mistake, "request_mistake", "Redirect"),
            (301, .mistake, "request_mistake", "Redirect"), (307, .mistake, "request_mistake", "Redirect"),
            (399, .mistake, "request_mistake", "Redirect"), (400, .mistake, "request_mistake", "BadRequest"),
            (404, .tokenGone(since: nil), "token_gone", "NotFound"),
            (405, .mistake, "request_mistake", "BadRequest"),
            (408, .retry(notBefore: wait, atLeast: .seconds(1)), "server_unavailable", "RequestTimeout"),
            (410, .tokenGone(since: nil), "token_gone", "Gone"),
            (413, .tooLarge, "payload_too_large", "PayloadTooLarge"),
            (429, .deviceWaits(wait), "device_throttled", "TooManyRequests"),
            (499, .mistake, "request_mistake", "BadRequest"),
            (500, .retry(notBefore: wait, atLeast: .seconds(1)), "server_unavailable", "ServerError"),
            (503, .retry(notBefore: wait, atLeast: .seconds(1)), "server_unavailable", "ServerError"),
            (599, .retry(notBefore: wait, atLeast: .seconds(1)), "server_unavailable", "ServerError"),
            (600, .retry(notBefore: wait, atLeast: .seconds(1)), "server_unavailable", "Unknown"),
            (999, .retry(notBefore: wait, atLeast: .seconds(1)), "server_unavailable", "Unknown"),
        ])
    func table(status: Int, effect: SendOutcome.Effect, label: String, reason: String) {
        let outcome = SendOutcome(WebPushAnswer(status: status, retryAfter: Self.wait))
        #expect(outcome.effect == effect)
        #expect(outcome.label == label)
        #expect(outcome.reason == reason)
        #expect(outcome.answer == (reason == "None" ? "None" : "HTTP \(status) \(reason)"))
        #expect(outcome.isAnswer == (label != "server_unavailable"))
        // Each service knows our credentials by itself.
        #expect(!outcome.provesCredentials)
    }

    @Test("a refusal of our key is the device's own on probation, else the origin's or the subscription's")
    func vapid() {
        for status in [401, 403] {
            let answer = WebPushAnswer(status: status)
            #expect(answer.refusesVAPID)
            let stranger = SendOutcome.vapidRefused(answer, isOnProbation: true, pause: nil)
            #expect(stranger.effect == .tokenInvalid && stranger.reason == "VAPIDRefused" && stranger.isAnswer)
            let origin = SendOutcome.vapidRefused(answer, isOnProbation: false, pause: .seconds(5))
            #expect(origin.effect == .notYet(after: .seconds(5)) && origin.reason == "VAPIDRefused")
            #expect(origin.answer == "HTTP \(status) VAPIDRefused" && !origin.isAnswer)
            let subscription = SendOutcome.vapidRefused(answer, isOnProbation: false, pause: nil)
            #expect(subscription.effect == .retry(atLeast: .seconds(900)) && !subscription.isAnswer)
        }
        for status in [200, 400, 402, 404] { #expect(!WebPushAnswer(status: status).refusesVAPID) }
    }

    @Test("an address that is not public is the device's own on probation, else it is looked at again later")
    func addressRefused() {
        let stranger = SendOutcome.failed(.addressRefused, isOnProbation: true)
        #expect(stranger.effect == .tokenInvalid && stranger.reason == "AddressRefused")
        let known = SendOutcome.failed(.addressRefused, isOnProbation: false)
        #expect(known.effect == .retry(atLeast: .seconds(900)) && known.reason == "AddressRefused" && !known.isAnswer)
    }

    @Test("other failures of the connection are tried again", arguments: [true, false])
    func transport(isOnProbation: Bool) {
        for failure in [TransportFailure.refused, .reset, .timeout, .dns, .tls(code: 60), .notHTTP2] {
            let outcome = SendOutcome.failed(failure, isOnProbation: isOnProbation)
            #expect(outcome == .transport(failure, atLeast: .seconds(1)))
            #expect(outcome.reason == failure.label)
        }
    }

    @Test("retry-after is read from the answer, in seconds or as a date; its body says nothing")
    func retryAfter() {
        func answer(_ value: String?) -> WebPushAnswer {
            WebPushAnswer(
                HTTPAnswer(
                    status: 429, body: [0xff], fields: value.map { [HeaderField("retry-after", $0)] } ?? []))
        }
        #expect(answer("120") == WebPushAnswer(status: 429, retryAfter: .seconds(120)))
        #expect(
            answer("Thu, 01 Jan 1970 00:01:40 GMT")
                == WebPushAnswer(status: 429, retryAfter: .date(unixSeconds: 100)))
        #expect(answer("soon") == WebPushAnswer(status: 429))
        #expect(answer(nil) == WebPushAnswer(status: 429))
    }
}
