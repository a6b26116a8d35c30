import APNs
import Carriers
import HTTP2Client
import Policy
import Store
import Testing

@testable import Push

struct DispositionCase: CustomTestStringConvertible, Sendable {
    let outcome: APNsOutcome
    let delivery: Disposition.DeliveryDecision
    var device = Disposition.DeviceFinding.nothing
    var sending = Disposition.SendingDecision.nothing
    let reason: String
    var omitsPayload = false

    var testDescription: String { "\(outcome)" }

    private static func refusal(_ reason: APNsReason) -> DispositionCase {
        DispositionCase(
            outcome: .configurationRefused(reason), delivery: .retry(notBefore: 0),
            sending: .pause(.refused(reason.rawValue), atLeast: 0),
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
        DispositionCase(outcome: .requestMistake($0), delivery: .dead(isOurMistake: true), reason: $0.rawValue)
    }

    static let failures = [
        TransportFailure.refused, .unreachable, .reset, .goAwayUnprocessed, .timeout, .dns, .tls(code: 60), .notHTTP2,
        .other(code: 1),
    ].map { DispositionCase(outcome: .transport($0), delivery: .retry(notBefore: 0), reason: $0.label) }

    static let others: [DispositionCase] = [
        DispositionCase(
            outcome: .delivered(apnsID: "x"), delivery: .delivered, device: .alive, sending: .credentialsAccepted,
            reason: "None"),
        DispositionCase(
            outcome: .deliveredByOtherHost(apnsID: "x", host: .development), delivery: .delivered,
            device: .aliveAt(.development), sending: .credentialsAccepted,
            reason: "None"),
        DispositionCase(
            outcome: .otherHostRefused(.badEnvironmentKeyInToken), delivery: .retry(notBefore: 0), device: .unaccepted,
            reason: "BadEnvironmentKeyInToken"),
        DispositionCase(
            outcome: .otherHostRefused(nil), delivery: .retry(notBefore: 0), device: .unaccepted, reason: "Unknown"),
        DispositionCase(
            outcome: .tokenInvalid(.badDeviceToken), delivery: .dead(isOurMistake: false), device: .invalidToken,
            sending: .credentialsAccepted,
            reason: "BadDeviceToken"),
        DispositionCase(
            outcome: .tokenInvalid(.deviceTokenNotForTopic), delivery: .dead(isOurMistake: false),
            device: .invalidToken, sending: .credentialsAccepted,
            reason: "DeviceTokenNotForTopic"),
        DispositionCase(
            outcome: .tokenGone(.unregistered, timestampMilliseconds: 7), delivery: .dead(isOurMistake: false),
            device: .gone(at: 7), sending: .credentialsAccepted, reason: "Unregistered"),
        DispositionCase(
            outcome: .tokenGone(.expiredToken, timestampMilliseconds: .max), delivery: .dead(isOurMistake: false),
            device: .gone(at: .max), sending: .credentialsAccepted, reason: "ExpiredToken"),
        DispositionCase(
            outcome: .payloadTooLarge, delivery: .retryWithoutPayload, sending: .credentialsAccepted,
            reason: "PayloadTooLarge"),
        DispositionCase(
            outcome: .payloadTooLarge, delivery: .dead(isOurMistake: true), sending: .credentialsAccepted,
            reason: "PayloadTooLarge", omitsPayload: true
        ),
        DispositionCase(
            outcome: .providerTokenExpired, delivery: .retry(notBefore: 0), sending: .pause(.expired, atLeast: 0),
            reason: "ExpiredProviderToken"),
        DispositionCase(
            outcome: .providerTokenThrottled(retryAfter: nil), delivery: .retry(notBefore: 0),
            sending: .pause(.throttled, atLeast: 0),
            reason: "TooManyProviderTokenUpdates"),
        DispositionCase(outcome: .connectionMismatch, delivery: .retry(notBefore: 0), reason: "UnrelatedKeyIdInToken"),
        DispositionCase(outcome: .idleTimeout, delivery: .retry(notBefore: 0), reason: "IdleTimeout"),
        DispositionCase(
            outcome: .deviceThrottled(retryAfter: nil), delivery: .retry(notBefore: 0), sending: .credentialsAccepted,
            reason: "TooManyRequests"),
        DispositionCase(
            outcome: .deviceThrottled(retryAfter: .seconds(9)), delivery: .retry(notBefore: 9000),
            sending: .credentialsAccepted,
            reason: "TooManyRequests"),
        DispositionCase(
            outcome: .serverUnavailable(.shutdown, retryAfter: .date(unixSeconds: 1030)),
            delivery: .retry(notBefore: 30_000), reason: "Shutdown"),
        DispositionCase(
            outcome: .serverUnavailable(.internalServerError, retryAfter: .date(unixSeconds: 999)),
            delivery: .retry(notBefore: 0), reason: "InternalServerError"),
        DispositionCase(
            outcome: .serverUnavailable(.serviceUnavailable, retryAfter: .seconds(.max)),
            delivery: .retry(notBefore: 86_400_000), reason: "ServiceUnavailable"),
        DispositionCase(
            outcome: .unknown(status: 400, reason: "Brandnew", retryAfter: nil), delivery: .dead(isOurMistake: true),
            reason: "Unknown"),
        DispositionCase(
            outcome: .unknown(status: 410, reason: nil, retryAfter: nil), delivery: .dead(isOurMistake: true),
            reason: "None"),
        DispositionCase(
            outcome: .unknown(status: 403, reason: nil, retryAfter: nil), delivery: .retry(notBefore: 0),
            sending: .pause(.refused("HTTP 403"), atLeast: 0), reason: "None"),
        DispositionCase(
            outcome: .unknown(status: 429, reason: nil, retryAfter: .seconds(3)), delivery: .retry(notBefore: 3000),
            reason: "None"),
        DispositionCase(
            outcome: .unknown(status: 502, reason: "x", retryAfter: .seconds(4)), delivery: .retry(notBefore: 4000),
            reason: "Unknown"),
        DispositionCase(
            outcome: .unknown(status: 302, reason: nil, retryAfter: nil), delivery: .retry(notBefore: 0),
            reason: "None"),
        DispositionCase(outcome: .notSent(.cancelled), delivery: .unchanged, sending: .handedBack, reason: "cancelled"),
        DispositionCase(
            outcome: .notSent(.shuttingDown), delivery: .unchanged, sending: .handedBack, reason: "shutting_down"),
        DispositionCase(outcome: .notSent(.abandoned), delivery: .unchanged, sending: .handedBack, reason: "abandoned"),
        DispositionCase(
            outcome: .notSent(.noProviderToken("disk full")), delivery: .retry(notBefore: 0),
            sending: .pause(.noProviderToken("disk full"), atLeast: 0), reason: "no_provider_token"),
        DispositionCase(
            outcome: .notSent(.invalidRequest(field: "id")), delivery: .dead(isOurMistake: true),
            reason: "invalid_request"),
    ]
}

@Suite("Disposition")
struct DispositionTests {
    @Test(
        "Every outcome decides about the delivery, the device and the sending as a whole",
        arguments: DispositionCase.refusals + DispositionCase.mistakes + DispositionCase.failures
            + DispositionCase.others)
    func decides(example: DispositionCase) {
        let disposition = Disposition(example.outcome, omitsPayload: example.omitsPayload, present: 1_000_000)
        #expect(disposition.delivery == example.delivery)
        #expect(disposition.device == example.device)
        #expect(disposition.sending == example.sending)
        #expect(disposition.reason == example.reason)
    }

    @Test(
        "The log names an answer that the table does not name, as short printable ASCII; the metrics' reason is bounded",
        arguments: [
            (APNsOutcome.unknown(status: 400, reason: "Brandnew", retryAfter: nil), "HTTP 400 Brandnew", "Unknown"),
            (.unknown(status: 502, reason: nil, retryAfter: nil), "HTTP 502", "None"),
            (.unknown(status: 418, reason: "\u{1b}[2J\né", retryAfter: nil), "HTTP 418 [2J", "Unknown"),
            (.unknown(status: 429, reason: "BadTopic", retryAfter: nil), "HTTP 429 BadTopic", "BadTopic"),
            (
                .unknown(status: 400, reason: String(repeating: "x", count: 1_000), retryAfter: nil),
                "HTTP 400 " + String(repeating: "x", count: 55), "Unknown"
            ),
            (.requestMistake(.badPriority), "BadPriority", "BadPriority"),
            (.transport(.timeout), TransportFailure.timeout.label, TransportFailure.timeout.label),
        ] as [(APNsOutcome, String, String)])
    func answers(outcome: APNsOutcome, answer: String, reason: String) {
        let disposition = Disposition(outcome, omitsPayload: false, present: 0)
        #expect(disposition.answer == answer)
        #expect(disposition.reason == reason)
    }

    @Test("However long the text is that says why there is no provider token, what is told of it is bounded")
    func boundsCause() {
        let cause = String(repeating: "x", count: 100_000)
        let disposition = Disposition(.notSent(.noProviderToken(cause)), omitsPayload: false, present: 0)
        #expect(disposition.sending == .pause(.noProviderToken(String(repeating: "x", count: 240)), atLeast: 0))
    }

    @Test("A 429 speaks for the token only where it proves our credentials, too", arguments: [true, false])
    func throttled(isProof: Bool) {
        for isFromElsewhere in [true, false] {
            let outcome = SendOutcome(
                .deviceWaits(.seconds(5)), label: "device_throttled", reason: "TooManyRequests",
                provesCredentials: isProof)
            let disposition = Disposition(
                outcome, omitsPayload: false, isFromElsewhere: isFromElsewhere, sentAt: 0, present: 0)
            #expect(disposition.delivery == .retry(notBefore: 5_000))
            #expect(disposition.device == (isProof ? .nothing : .unaccepted))
        }
    }

    @Test("What proves the credentials at the operator's own host proves nothing elsewhere")
    func elsewhere() {
        for example in DispositionCase.others where example.sending == .credentialsAccepted {
            let disposition = Disposition(
                example.outcome, omitsPayload: example.omitsPayload, isFromElsewhere: true, present: 1_000_000)
            #expect(disposition.sending == .nothing, "\(example.outcome)")
            #expect(disposition.delivery == example.delivery && disposition.device == example.device)
        }
    }

    @Test("The sixteenth refusal of our credentials by the other host is the last", arguments: [14, 15, 16, .max])
    func refusedElsewhere(attempts: UInt32) {
        let disposition = Disposition(
            .otherHostRefused(.forbidden), omitsPayload: false, attempts: attempts, present: 0)
        #expect(disposition.delivery == (attempts < 15 ? .retry(notBefore: 0) : .dead(isOurMistake: false)))
        #expect(disposition.device == .unaccepted)
    }

    @Test("The guard of tokens hears no silence, and no refusal of our credentials by the other host")
    func isAnswer() {
        let silence: [APNsOutcome] = [
            .transport(.timeout), .notSent(.abandoned), .notSent(.noProviderToken("")), .otherHostRefused(.forbidden),
        ]
        for outcome in silence { #expect(!Disposition(outcome, omitsPayload: false, present: 0).isAnswer) }
        let answers: [APNsOutcome] = [
            .delivered(apnsID: ""), .tokenInvalid(.badDeviceToken), .payloadTooLarge, .idleTimeout,
            .configurationRefused(.badTopic), .serverUnavailable(.shutdown, retryAfter: nil),
            .unknown(status: 400, reason: nil, retryAfter: nil),
        ]
        for outcome in answers { #expect(Disposition(outcome, omitsPayload: false, present: 0).isAnswer) }
    }

    struct Words: CustomTestStringConvertible, Sendable {
        let disposition: Disposition
        let state: DeliveryLogEntry.State
        let logged: String
        let outcome: String?
        let reason: String?
        var wasSent = true

        var testDescription: String { "\(disposition.delivery)" }

        static let all = [
            Words(
                disposition: of(.delivered(apnsID: "")), state: .delivered, logged: "Success",
                outcome: "delivered", reason: "none"),
            Words(
                disposition: of(.tokenInvalid(.badDeviceToken)), state: .dead, logged: "BadDeviceToken",
                outcome: "dead", reason: "BadDeviceToken"),
            Words(
                disposition: of(.unknown(status: 400, reason: "New", retryAfter: nil)), state: .dead,
                logged: "HTTP 400 New", outcome: "dead", reason: "Unknown"),
            Words(
                disposition: of(.unknown(status: 502, reason: nil, retryAfter: nil)), state: .queued,
                logged: "HTTP 502", outcome: "retried", reason: "None"),
            Words(
                disposition: of(.payloadTooLarge), state: .queued, logged: "PayloadTooLarge",
                outcome: "retried", reason: "PayloadTooLarge"),
            Words(
                disposition: of(.transport(.timeout)), state: .queued, logged: "timeout",
                outcome: "retried", reason: "timeout"),
            Words(
                disposition: Disposition(unsent: .expired), state: .expired, logged: "",
                outcome: "expired", reason: "none", wasSent: false),
            Words(
                disposition: Disposition(unsent: .suppressed(.neverTold)), state: .suppressed, logged: "never_told",
                outcome: "suppressed", reason: "never_told", wasSent: false),
            Words(
                disposition: of(.notSent(.abandoned)), state: .queued, logged: "abandoned",
                outcome: nil, reason: nil, wasSent: false),
        ]

        private static func of(_ outcome: APNsOutcome) -> Disposition {
            Disposition(outcome, omitsPayload: false, present: 0)
        }
    }

    @Test("Row, log and metric have their words from one decision", arguments: Words.all)
    func words(example: Words) {
        let disposition = example.disposition
        #expect(disposition.state == example.state && disposition.logReason == example.logged)
        #expect(disposition.metric?.outcome.rawValue == example.outcome && disposition.metric?.reason == example.reason)
        #expect(disposition.wasSent == example.wasSent)
    }
}
