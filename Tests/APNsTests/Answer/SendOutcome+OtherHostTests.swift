import HTTP2Client
import Testing

@testable import APNs

/// One outcome of each kind, and those of which a kind has several that matter here.
private let outcomes: [APNsOutcome] = [
    .delivered(apnsID: "x"), .tokenInvalid(.badDeviceToken), .tokenInvalid(.deviceTokenNotForTopic),
    .tokenGone(.unregistered, timestampMilliseconds: 7), .requestMistake(.badPath), .payloadTooLarge,
    .configurationRefused(.badEnvironmentKeyInToken), .otherHostRefused(.badTopic), .otherHostRefused(nil),
    .providerTokenExpired, .connectionMismatch, .idleTimeout, .deviceThrottled(retryAfter: nil),
    .providerTokenThrottled(retryAfter: .seconds(4)), .serverUnavailable(.shutdown, retryAfter: .seconds(3)),
    .transport(.timeout), .unknown(status: 403, reason: "Novelty", retryAfter: nil),
    .unknown(status: 400, reason: "Novelty", retryAfter: nil), .notSent(.cancelled), .notSent(.shuttingDown),
]

@Suite("Outcomes of two hosts")
struct OtherHostOutcomeTests {
    @Test("only a token called bad may be good at the other host", arguments: outcomes)
    func suggestion(outcome: APNsOutcome) {
        #expect(outcome.suggestsOtherHost == (outcome == .tokenInvalid(.badDeviceToken)))
    }

    @Test("a refusal of the credentials by a host that is not the operator's own is no other outcome's equal")
    func foreign() {
        for outcome in outcomes {
            switch outcome {
            case .configurationRefused(let reason): #expect(outcome.fromForeignHost == .otherHostRefused(reason))
            case .providerTokenExpired: #expect(outcome.fromForeignHost == .otherHostRefused(.expiredProviderToken))
            case .providerTokenThrottled:
                #expect(outcome.fromForeignHost == .otherHostRefused(.tooManyProviderTokenUpdates))
            case .unknown(status: 403, _, _): #expect(outcome.fromForeignHost == .otherHostRefused(nil))
            default: #expect(outcome.fromForeignHost == outcome)
            }
        }
    }

    @Test("a token that both refuse is invalid, one that the other takes is delivered; the rest is the other's word")
    func both() {
        let first = APNsOutcome.tokenInvalid(.badDeviceToken)
        for second in outcomes {
            let outcome = APNsOutcome(first, thenFrom: .production, second)
            switch second {
            case .delivered(let id): #expect(outcome == .deliveredByOtherHost(apnsID: id, host: .production))
            case .tokenInvalid, .tokenGone, .otherHostRefused: #expect(outcome == first)
            default: #expect(outcome == second)
            }
        }
    }

    @Test("their labels are bounded")
    func labels() {
        let delivered = APNsOutcome.deliveredByOtherHost(apnsID: "x", host: .development)
        #expect(delivered.isDelivered)
        #expect((delivered.label, delivered.reasonLabel) == ("delivered_by_other_host", "None"))
        let refused = APNsOutcome.otherHostRefused(.badEnvironmentKeyInToken)
        #expect(!refused.isDelivered)
        #expect((refused.label, refused.reasonLabel) == ("other_host_refused", "BadEnvironmentKeyInToken"))
        #expect(APNsOutcome.otherHostRefused(nil).reasonLabel == "Unknown")
    }
}
