import Carriers
import HTTP2Client
import Testing

@testable import FCM

/// One row of the table.
struct AnswerRow: Sendable, CustomTestStringConvertible {
    let status: Int
    var code: String?
    var namesToken = false
    var namesDevice = false
    var retryAfter: RetryAfter?
    let effect: SendOutcome.Effect
    let label: String
    let reason: String
    var proves = false
    var isAnswer = true

    var testDescription: String { "\(status) \(code ?? "-")" }

    private static func refused(_ sentence: String) -> SendOutcome.Effect {
        .carrierWaits(CarrierPause(.refused, sentence))
    }

    private static func quota(_ text: String, _ retryAfter: RetryAfter? = nil) -> SendOutcome.Effect {
        .carrierWaits(
            CarrierPause(.busy(atLeast: .seconds(60)), "the quota of messages for the project is used up (\(text))"),
            retryAfter)
    }

    private static let tenSeconds = SendOutcome.Effect.retry(notBefore: nil, atLeast: .seconds(10))

    static let all: [AnswerRow] = [
        .init(status: 200, effect: .delivered, label: "delivered", reason: "None", proves: true),
        .init(
            status: 400, code: "INVALID_ARGUMENT", namesToken: true, effect: .tokenInvalid, label: "token_invalid",
            reason: "INVALID_ARGUMENT", proves: true),
        .init(
            status: 400, code: "INVALID_ARGUMENT", effect: .mistake, label: "request_mistake",
            reason: "INVALID_ARGUMENT"),
        .init(status: 400, effect: .mistake, label: "request_mistake", reason: "Unknown"),
        .init(
            status: 400, code: "NEW", namesToken: true, effect: .mistake, label: "request_mistake", reason: "Unknown"),
        .init(
            status: 401, code: "UNAUTHENTICATED",
            effect: refused("Google refuses the access token for project p (UNAUTHENTICATED)"),
            label: "access_token_refused", reason: "UNAUTHENTICATED", isAnswer: false),
        .init(
            status: 401, effect: refused("Google refuses the access token for project p (HTTP 401)"),
            label: "access_token_refused", reason: "Unknown", isAnswer: false),
        .init(
            status: 401, code: "THIRD_PARTY_AUTH_ERROR", effect: .mistake, label: "request_mistake",
            reason: "THIRD_PARTY_AUTH_ERROR"),
        .init(
            status: 403, code: "SENDER_ID_MISMATCH", effect: .tokenInvalid, label: "token_invalid",
            reason: "SENDER_ID_MISMATCH", proves: true),
        .init(
            status: 403, code: "PERMISSION_DENIED",
            effect: refused(
                "Google refuses to send for project p (PERMISSION_DENIED): the Firebase Cloud Messaging API is off, "
                    + "or the service account lacks the role"), label: "configuration_refused",
            reason: "PERMISSION_DENIED", isAnswer: false),
        .init(
            status: 403, code: "NEW", effect: refused("Google refuses to send for project p (HTTP 403 NEW)"),
            label: "configuration_refused", reason: "Unknown", isAnswer: false),
        .init(
            status: 404, code: "UNREGISTERED", effect: .tokenGone(since: nil), label: "token_gone",
            reason: "UNREGISTERED", proves: true),
        .init(
            status: 404, code: "NOT_FOUND", effect: tenSeconds, label: "server_unavailable", reason: "NOT_FOUND",
            isAnswer: false),
        .init(status: 404, effect: tenSeconds, label: "server_unavailable", reason: "Unknown", isAnswer: false),
        .init(status: 408, effect: tenSeconds, label: "server_unavailable", reason: "Unknown", isAnswer: false),
        .init(status: 413, effect: .tooLarge, label: "payload_too_large", reason: "Unknown", proves: true),
        .init(status: 418, code: "TEAPOT", effect: .mistake, label: "request_mistake", reason: "Unknown"),
        .init(
            status: 429, code: "QUOTA_EXCEEDED", namesDevice: true, retryAfter: .seconds(5),
            effect: .deviceWaits(.seconds(5)), label: "device_throttled", reason: "QUOTA_EXCEEDED", proves: true),
        .init(
            status: 429, code: "QUOTA_EXCEEDED", retryAfter: .seconds(90),
            effect: quota("QUOTA_EXCEEDED", .seconds(90)), label: "carrier_throttled", reason: "QUOTA_EXCEEDED",
            isAnswer: false),
        .init(
            status: 429, code: "RESOURCE_EXHAUSTED", effect: quota("RESOURCE_EXHAUSTED"), label: "carrier_throttled",
            reason: "RESOURCE_EXHAUSTED", isAnswer: false),
        .init(
            status: 429, effect: quota("HTTP 429"), label: "carrier_throttled", reason: "Unknown", isAnswer: false),
        .init(
            status: 500, code: "INTERNAL", retryAfter: .seconds(30),
            effect: .retry(notBefore: .seconds(30), atLeast: .seconds(10)), label: "server_unavailable",
            reason: "INTERNAL", isAnswer: false),
        .init(status: 500, effect: tenSeconds, label: "server_unavailable", reason: "Unknown", isAnswer: false),
        .init(status: 502, effect: tenSeconds, label: "server_unavailable", reason: "Unknown", isAnswer: false),
        .init(
            status: 503, code: "UNAVAILABLE", retryAfter: .seconds(20),
            effect: .carrierWaits(
                CarrierPause(.busy(atLeast: .seconds(10)), "Google is not available (UNAVAILABLE)"), .seconds(20)),
            label: "server_unavailable", reason: "UNAVAILABLE", isAnswer: false),
        .init(status: 302, effect: tenSeconds, label: "server_unavailable", reason: "Unknown", isAnswer: false),
        .init(status: 204, effect: tenSeconds, label: "server_unavailable", reason: "Unknown", isAnswer: false),
    ]
}

@Suite("What follows from FCM's answers")
struct SendOutcomeTests {
    @Test("is as the table says", arguments: AnswerRow.all)
    func table(row: AnswerRow) {
        let answer = FCMAnswer(
            status: row.status, code: row.code, retryAfter: row.retryAfter, namesToken: row.namesToken,
            namesDevice: row.namesDevice)
        let outcome = SendOutcome(answer, project: "p")
        #expect(outcome.effect == row.effect)
        #expect(outcome.label == row.label)
        #expect(outcome.reason == row.reason)
        #expect(outcome.provesCredentials == row.proves)
        #expect(outcome.isAnswer == row.isAnswer)
    }

    @Test("has a row for every code", arguments: FCMReason.allCases)
    func everyCode(reason: FCMReason) {
        let outcome = SendOutcome(FCMAnswer(status: reason.status, code: reason.rawValue), project: "p")
        #expect(outcome.reason == reason.rawValue)
        #expect(outcome.answer == reason.rawValue)
    }

    @Test(
        "of an answer that was cut short is a reset, where the body says whose mistake it was",
        arguments: [400, 403, 404, 418])
    func cutShort(status: Int) {
        #expect(SendOutcome(FCMAnswer(status: status), isComplete: false, project: "p") == .transport(.reset))
        #expect(SendOutcome(FCMAnswer(status: status), project: "p") != .transport(.reset))
    }

    @Test(
        "of an answer that was cut short is what its status says else", arguments: [200, 401, 408, 413, 429, 500, 503])
    func cutShortByStatus(status: Int) {
        let answer = FCMAnswer(status: status)
        #expect(SendOutcome(answer, isComplete: false, project: "p") == SendOutcome(answer, project: "p"))
    }

    @Test("keeps an unknown answer's name for the log")
    func unknown() {
        let outcome = SendOutcome(FCMAnswer(status: 418, code: "TEAPOT"), project: "p")
        #expect(outcome.answer == "HTTP 418 TEAPOT")
    }

    @Test("without an access token is the carrier's pause")
    func noToken() {
        let refused = SendOutcome(AccessTokenError.refused("invalid_grant", status: 400))
        #expect(
            refused.effect
                == .carrierWaits(
                    CarrierPause(
                        .refused,
                        "Google refuses the service account (invalid_grant): its key was revoked, or this machine's clock is wrong"
                    )))
        #expect(refused.label == "not_sent")
        #expect(refused.reason == "no_access_token")
        #expect(!refused.isAnswer)
        #expect(!refused.provesCredentials)
        let unavailable = SendOutcome(AccessTokenError.unavailable("timed out", .seconds(3)))
        #expect(
            unavailable.effect
                == .carrierWaits(
                    CarrierPause(
                        .busy(atLeast: .seconds(10)), "Google gives no access token for the moment: timed out"),
                    .seconds(3)))
        #expect(SendOutcome(AccessTokenError.stopped) == .handedBack("shutting_down"))
    }
}
