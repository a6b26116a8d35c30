import APNs
import HTTP2Client
import Testing

/// Apple's table of answers, one entry for each reason, written down a second time.
let answerTable: [(status: Int, reason: String, outcome: APNsOutcome)] = [
    (400, "BadDeviceToken", .tokenInvalid(.badDeviceToken)),
    (400, "DeviceTokenNotForTopic", .tokenInvalid(.deviceTokenNotForTopic)),
    (400, "BadCollapseId", .requestMistake(.badCollapseID)),
    (400, "BadExpirationDate", .requestMistake(.badExpirationDate)),
    (400, "BadMessageId", .requestMistake(.badMessageID)),
    (400, "BadPriority", .requestMistake(.badPriority)),
    (400, "DuplicateHeaders", .requestMistake(.duplicateHeaders)),
    (400, "InvalidPushType", .requestMistake(.invalidPushType)),
    (400, "MissingDeviceToken", .requestMistake(.missingDeviceToken)),
    (400, "PayloadEmpty", .requestMistake(.payloadEmpty)),
    (400, "BadTopic", .configurationRefused(.badTopic)),
    (400, "MissingTopic", .configurationRefused(.missingTopic)),
    (400, "TopicDisallowed", .configurationRefused(.topicDisallowed)),
    (400, "IdleTimeout", .idleTimeout),
    (403, "ExpiredProviderToken", .providerTokenExpired),
    (403, "InvalidProviderToken", .configurationRefused(.invalidProviderToken)),
    (403, "MissingProviderToken", .configurationRefused(.missingProviderToken)),
    (403, "BadCertificate", .configurationRefused(.badCertificate)),
    (403, "BadCertificateEnvironment", .configurationRefused(.badCertificateEnvironment)),
    (403, "Forbidden", .configurationRefused(.forbidden)),
    (403, "BadEnvironmentKeyIdInToken", .configurationRefused(.badEnvironmentKeyIDInToken)),
    (403, "BadEnvironmentKeyInToken", .configurationRefused(.badEnvironmentKeyInToken)),
    (403, "UnrelatedKeyIdInToken", .connectionMismatch),
    (404, "BadPath", .requestMistake(.badPath)),
    (405, "MethodNotAllowed", .requestMistake(.methodNotAllowed)),
    (410, "Unregistered", .tokenInvalid(.unregistered)),
    (410, "ExpiredToken", .tokenInvalid(.expiredToken)),
    (413, "PayloadTooLarge", .payloadTooLarge),
    (429, "TooManyRequests", .deviceThrottled(retryAfter: nil)),
    (429, "TooManyProviderTokenUpdates", .providerTokenThrottled(retryAfter: nil)),
    (500, "InternalServerError", .serverUnavailable(.internalServerError, retryAfter: nil)),
    (503, "ServiceUnavailable", .serverUnavailable(.serviceUnavailable, retryAfter: nil)),
    (503, "Shutdown", .serverUnavailable(.shutdown, retryAfter: nil)),
    (504, "Shutdown", .serverUnavailable(.shutdown, retryAfter: nil)),
]

@Suite("Send outcomes")
struct SendOutcomeTests {
    private func outcome(_ answer: APNsAnswer) -> APNsOutcome { APNsOutcome(answer, requestID: "mine") }

    @Test("are what the table says", arguments: answerTable)
    func table(status: Int, reason: String, expected: APNsOutcome) {
        #expect(outcome(APNsAnswer(status: status, reason: reason)) == expected)
        #expect(expected.reasonLabel == reason)
    }

    @Test("know every reason of the table and no other")
    func complete() {
        #expect(Set(answerTable.map(\.reason)) == Set(APNsReason.allCases.map(\.rawValue)))
    }

    @Test("call 200 delivered, under Apple's id or ours")
    func delivered() {
        #expect(outcome(APNsAnswer(status: 200, apnsID: "theirs")) == .delivered(apnsID: "theirs"))
        #expect(outcome(APNsAnswer(status: 200)) == .delivered(apnsID: "mine"))
        #expect(APNsOutcome.delivered(apnsID: "x").reasonLabel == "None")
        #expect(APNsOutcome.delivered(apnsID: "x").isDelivered)
        #expect(!APNsOutcome.payloadTooLarge.isDelivered)
    }

    @Test(
        "call a token gone only when the answer says since when", arguments: [APNsReason.unregistered, .expiredToken])
    func gone(reason: APNsReason) {
        let answer = APNsAnswer(status: 410, reason: reason.rawValue, timestampMilliseconds: 5)
        #expect(outcome(answer) == .tokenGone(reason, timestampMilliseconds: 5))
    }

    @Test("carry Retry-After where it means something")
    func retryAfter() {
        for (status, reason, expected) in [
            (429, "TooManyRequests", APNsOutcome.deviceThrottled(retryAfter: .seconds(9))),
            (429, "TooManyProviderTokenUpdates", .providerTokenThrottled(retryAfter: .seconds(9))),
            (503, "Shutdown", .serverUnavailable(.shutdown, retryAfter: .seconds(9))),
            (502, "New", .unknown(status: 502, reason: "New", retryAfter: .seconds(9))),
        ] {
            #expect(outcome(APNsAnswer(status: status, reason: reason, retryAfter: .seconds(9))) == expected)
        }
    }

    @Test("do not believe a known reason under a status it does not belong to")
    func mismatch() {
        let wrong = outcome(APNsAnswer(status: 500, reason: "BadDeviceToken"))
        #expect(wrong == .unknown(status: 500, reason: "BadDeviceToken", retryAfter: nil))
        #expect(wrong.reasonLabel == "BadDeviceToken")
    }

    @Test("call 413 too large whatever its body")
    func tooLarge() { #expect(outcome(APNsAnswer(status: 413)) == .payloadTooLarge) }

    @Test("have a bounded label for an unknown reason, and keep its name")
    func unknown() {
        let unknown = outcome(APNsAnswer(status: 400, reason: "Novelty"))
        #expect(unknown == .unknown(status: 400, reason: "Novelty", retryAfter: nil))
        #expect(unknown.label == "unknown")
        #expect(unknown.reasonLabel == "Unknown")
        #expect(outcome(APNsAnswer(status: 400)).reasonLabel == "None")
    }

    @Test(
        "judge an unnamed answer by its status",
        arguments: [
            (400, APNsOutcome.UnknownMeaning.requestMistake), (403, .configurationRefused), (404, .requestMistake),
            (408, .retryLater), (410, .requestMistake), (429, .retryLater), (499, .requestMistake),
            (500, .retryLater), (502, .retryLater), (599, .retryLater), (204, .retryLater), (301, .retryLater),
            (999, .retryLater),
        ])
    func meaning(status: Int, expected: APNsOutcome.UnknownMeaning) {
        #expect(APNsOutcome.meaning(ofUnknownStatus: status) == expected)
    }
}
