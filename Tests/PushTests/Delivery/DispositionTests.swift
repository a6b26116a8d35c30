import APNs
import Testing

@testable import Push

struct DispositionCase: CustomTestStringConvertible, Sendable {
    let outcome: SendOutcome
    let verdict: Disposition.Verdict
    var effect = Disposition.DeviceAnswer.none
    var gate: SendGate.Closure?
    let reason: String
    var omitsPayload = false

    var testDescription: String { "\(outcome)" }

    private static func refusal(_ reason: APNsReason) -> DispositionCase {
        DispositionCase(
            outcome: .configurationRefused(reason), verdict: .retry(notBefore: 0), gate: .refused(reason.rawValue),
            reason: reason.rawValue)
    }

    static let refusals = [
        APNsReason.badTopic, .missingTopic, .topicDisallowed, .invalidProviderToken, .missingProviderToken,
        .badCertificate, .badCertificateEnvironment, .forbidden, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
    ].map(refusal)

    static let mistakes = [
        APNsReason.badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
        .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed,
    ].map {
        DispositionCase(outcome: .requestMistake($0), verdict: .dead(isOurMistake: true), reason: $0.rawValue)
    }

    static let failures = [
        TransportFailure.refused, .unreachable, .reset, .goAwayUnprocessed, .timeout, .dns, .tls(code: 60), .notHTTP2,
        .other(code: 1),
    ].map { DispositionCase(outcome: .transport($0), verdict: .retry(notBefore: 0), reason: $0.label) }

    static let others: [DispositionCase] = [
        DispositionCase(outcome: .delivered(apnsID: "x"), verdict: .delivered, effect: .alive, reason: "None"),
        DispositionCase(
            outcome: .deliveredByOtherHost(apnsID: "x", host: .development), verdict: .delivered,
            effect: .aliveAt(.development),
            reason: "None"),
        DispositionCase(
            outcome: .otherHostRefused(.badEnvironmentKeyInToken), verdict: .retry(notBefore: 0), effect: .unaccepted,
            reason: "BadEnvironmentKeyInToken"),
        DispositionCase(
            outcome: .otherHostRefused(nil), verdict: .retry(notBefore: 0), effect: .unaccepted, reason: "Unknown"),
        DispositionCase(
            outcome: .tokenInvalid(.badDeviceToken), verdict: .dead(isOurMistake: false), effect: .invalidToken,
            reason: "BadDeviceToken"),
        DispositionCase(
            outcome: .tokenInvalid(.deviceTokenNotForTopic), verdict: .dead(isOurMistake: false), effect: .invalidToken,
            reason: "DeviceTokenNotForTopic"),
        DispositionCase(
            outcome: .tokenGone(.unregistered, timestampMilliseconds: 7), verdict: .dead(isOurMistake: false),
            effect: .gone(at: 7), reason: "Unregistered"),
        DispositionCase(
            outcome: .tokenGone(.expiredToken, timestampMilliseconds: .max), verdict: .dead(isOurMistake: false),
            effect: .gone(at: .max), reason: "ExpiredToken"),
        DispositionCase(outcome: .payloadTooLarge, verdict: .retryWithoutPayload, reason: "PayloadTooLarge"),
        DispositionCase(
            outcome: .payloadTooLarge, verdict: .dead(isOurMistake: true), reason: "PayloadTooLarge", omitsPayload: true
        ),
        DispositionCase(
            outcome: .providerTokenExpired, verdict: .retry(notBefore: 0), gate: .expired,
            reason: "ExpiredProviderToken"),
        DispositionCase(
            outcome: .providerTokenThrottled(retryAfter: nil), verdict: .retry(notBefore: 0), gate: .throttled,
            reason: "TooManyProviderTokenUpdates"),
        DispositionCase(outcome: .connectionMismatch, verdict: .retry(notBefore: 0), reason: "UnrelatedKeyIdInToken"),
        DispositionCase(outcome: .idleTimeout, verdict: .retry(notBefore: 0), reason: "IdleTimeout"),
        DispositionCase(
            outcome: .deviceThrottled(retryAfter: nil), verdict: .retry(notBefore: 0), effect: .unaccepted,
            reason: "TooManyRequests"),
        DispositionCase(
            outcome: .deviceThrottled(retryAfter: .seconds(9)), verdict: .retry(notBefore: 9000), effect: .unaccepted,
            reason: "TooManyRequests"),
        DispositionCase(
            outcome: .serverUnavailable(.shutdown, retryAfter: .date(unixSeconds: 1030)),
            verdict: .retry(notBefore: 30_000), reason: "Shutdown"),
        DispositionCase(
            outcome: .serverUnavailable(.internalServerError, retryAfter: .date(unixSeconds: 999)),
            verdict: .retry(notBefore: 0), reason: "InternalServerError"),
        DispositionCase(
            outcome: .serverUnavailable(.serviceUnavailable, retryAfter: .seconds(.max)),
            verdict: .retry(notBefore: 86_400_000), reason: "ServiceUnavailable"),
        DispositionCase(
            outcome: .unknown(status: 400, reason: "Brandnew", retryAfter: nil), verdict: .dead(isOurMistake: true),
            reason: "Unknown"),
        DispositionCase(
            outcome: .unknown(status: 410, reason: nil, retryAfter: nil), verdict: .dead(isOurMistake: true),
            reason: "None"),
        DispositionCase(
            outcome: .unknown(status: 403, reason: nil, retryAfter: nil), verdict: .retry(notBefore: 0),
            gate: .refused("HTTP 403"), reason: "None"),
        DispositionCase(
            outcome: .unknown(status: 429, reason: nil, retryAfter: .seconds(3)), verdict: .retry(notBefore: 3000),
            reason: "None"),
        DispositionCase(
            outcome: .unknown(status: 502, reason: "x", retryAfter: .seconds(4)), verdict: .retry(notBefore: 4000),
            reason: "Unknown"),
        DispositionCase(
            outcome: .unknown(status: 302, reason: nil, retryAfter: nil), verdict: .retry(notBefore: 0),
            reason: "None"),
        DispositionCase(outcome: .notSent(.cancelled), verdict: .retry(notBefore: 0), reason: "cancelled"),
        DispositionCase(outcome: .notSent(.shuttingDown), verdict: .retry(notBefore: 0), reason: "shutting_down"),
        DispositionCase(outcome: .notSent(.abandoned), verdict: .retry(notBefore: 0), reason: "abandoned"),
        DispositionCase(
            outcome: .notSent(.noProviderToken("disk full")), verdict: .retry(notBefore: 0),
            gate: .noProviderToken("disk full"), reason: "no_provider_token"),
        DispositionCase(
            outcome: .notSent(.invalidRequest(field: "id")), verdict: .dead(isOurMistake: true),
            reason: "invalid_request"),
    ]
}

@Suite("Disposition")
struct DispositionTests {
    @Test(
        "Every outcome decides about the delivery, the device and the gate",
        arguments: DispositionCase.refusals + DispositionCase.mistakes + DispositionCase.failures
            + DispositionCase.others)
    func decides(example: DispositionCase) {
        let disposition = Disposition(example.outcome, omitsPayload: example.omitsPayload, present: 1_000_000)
        #expect(disposition.verdict == example.verdict)
        #expect(disposition.effect == example.effect)
        #expect(disposition.gate == example.gate)
        #expect(disposition.reason == example.reason)
    }

    @Test(
        "The log names an answer that the table does not name, as short printable ASCII; the metrics' reason is bounded",
        arguments: [
            (SendOutcome.unknown(status: 400, reason: "Brandnew", retryAfter: nil), "HTTP 400 Brandnew", "Unknown"),
            (.unknown(status: 502, reason: nil, retryAfter: nil), "HTTP 502", "None"),
            (.unknown(status: 418, reason: "\u{1b}[2J\né", retryAfter: nil), "HTTP 418 [2J", "Unknown"),
            (.unknown(status: 429, reason: "BadTopic", retryAfter: nil), "HTTP 429 BadTopic", "BadTopic"),
            (
                .unknown(status: 400, reason: String(repeating: "x", count: 1_000), retryAfter: nil),
                "HTTP 400 " + String(repeating: "x", count: 55), "Unknown"
            ),
            (.requestMistake(.badPriority), "BadPriority", "BadPriority"),
            (.transport(.timeout), TransportFailure.timeout.label, TransportFailure.timeout.label),
        ] as [(SendOutcome, String, String)])
    func answers(outcome: SendOutcome, answer: String, reason: String) {
        let disposition = Disposition(outcome, omitsPayload: false, present: 0)
        #expect(disposition.answer == answer)
        #expect(disposition.reason == reason)
    }

    @Test("However long the text is that says why there is no provider token, what is told of it is bounded")
    func boundsCause() {
        let cause = String(repeating: "x", count: 100_000)
        let disposition = Disposition(.notSent(.noProviderToken(cause)), omitsPayload: false, present: 0)
        #expect(disposition.gate == .noProviderToken(String(repeating: "x", count: 240)))
    }

    @Test("Credentials are good where Apple says so of a notification, a device or a rate, and in no other answer")
    func provesCredentials() {
        let proofs: [SendOutcome] = [
            .delivered(apnsID: "x"), .deliveredByOtherHost(apnsID: "x", host: .development),
            .tokenInvalid(.badDeviceToken), .tokenInvalid(.deviceTokenNotForTopic),
            .tokenGone(.unregistered, timestampMilliseconds: 7), .payloadTooLarge, .deviceThrottled(retryAfter: nil),
        ]
        for outcome in proofs {
            let disposition = Disposition(outcome, omitsPayload: false, present: 0)
            #expect(disposition.provesCredentials, "\(outcome)")
            #expect(disposition.gate == nil, "\(outcome)")
        }
        let others: [SendOutcome] = [
            .requestMistake(.badPath), .configurationRefused(.badTopic), .otherHostRefused(.forbidden),
            .providerTokenExpired,
            .providerTokenThrottled(retryAfter: nil), .connectionMismatch, .idleTimeout,
            .serverUnavailable(.shutdown, retryAfter: nil), .transport(.timeout),
            .unknown(status: 400, reason: nil, retryAfter: nil), .notSent(.noProviderToken("")), .notSent(.cancelled),
        ]
        for outcome in others {
            let disposition = Disposition(outcome, omitsPayload: false, present: 0)
            #expect(!disposition.provesCredentials, "\(outcome)")
        }
    }
}
