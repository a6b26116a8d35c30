import APNs
import HTTP2Client
import SampleOperations
import Store
import Testing

@testable import Push

@Suite("FinishedAttempt")
struct FinishedAttemptTests {
    private func disposition(_ outcome: APNsOutcome, present: UInt64 = 0) -> Disposition {
        Disposition(outcome, omitsPayload: false, present: present)
    }

    private func delivery(attempts: UInt32, expiresAt: UInt64 = .max) -> Delivery {
        var delivery = Samples.delivery(.contextualMessage)
        (delivery.attempts, delivery.expiresAt) = (attempts, expiresAt)
        return delivery
    }

    @Test(
        "A delivery is tried again after one second, doubling to fifteen minutes, with full jitter",
        arguments: [(0, 1_000), (1, 2_000), (9, 512_000), (10, 900_000), (.max, 900_000)] as [(UInt32, UInt64)])
    func backsOff(attempts: UInt32, pause: UInt64) {
        for (random, part) in [(0, 0), (0.5, pause / 2), (1, pause)] as [(Double, UInt64)] {
            let next = disposition(.transport(.timeout)).next(for: delivery(attempts: attempts), now: 7) { random }
            #expect(next == .retry(at: 7 + part, omitsPayload: false))
        }
    }

    @Test(
        "It is not before what Apple asks for, of which an hour is believed",
        arguments: [(0, 1_000), (1, 1_000), (2, 2_000), (3_600, 3_600_000), (3_601, 3_600_000), (.max, 3_600_000)]
            as [(UInt64, UInt64)])
    func retryAfter(seconds: UInt64, pause: UInt64) {
        let disposition = disposition(.deviceThrottled(retryAfter: .seconds(seconds)))
        let next = disposition.next(for: delivery(attempts: 0), now: 7) { 1 }
        #expect(next == .retry(at: 7 + pause, omitsPayload: false))
    }

    @Test("It is tried no later than its time is over", arguments: [1_006, 1_007, 1_008] as [UInt64])
    func expires(expiresAt: UInt64) {
        let next = disposition(.transport(.reset)).next(for: delivery(attempts: 0, expiresAt: expiresAt), now: 7) { 1 }
        #expect(next == .retry(at: min(1_007, expiresAt), omitsPayload: false))
    }

    @Test("While sending is paused the delivery itself is due; without its payload it is, too")
    func dueAtOnce() {
        let refused = disposition(.configurationRefused(.badTopic))
        #expect(refused.next(for: delivery(attempts: 5), now: 7) { 1 } == .retry(at: 7, omitsPayload: false))
        let large = disposition(.payloadTooLarge)
        #expect(large.next(for: delivery(attempts: 5), now: 7) { 1 } == .retry(at: 7, omitsPayload: true))
    }

    @Test("What is answered for good, expired or suppressed is done")
    func done() {
        let dispositions = [
            disposition(.delivered(apnsID: "")), disposition(.tokenInvalid(.badDeviceToken)),
            disposition(.requestMistake(.badPath)), Disposition(unsent: .expired),
            Disposition(unsent: .suppressed(.operationGone)),
        ]
        for disposition in dispositions {
            #expect(disposition.next(for: delivery(attempts: 0), now: 7) { 1 } == .done)
        }
    }

    @Test("What an answer says of the device goes into its rows, into the reason of a removal, and to the guard")
    func device() {
        typealias Finding = Disposition.DeviceFinding
        let table: [(Finding, Settlement.DeviceEffect, String?, InvalidTokenGuard.Answer)] = [
            (.nothing, .none, nil, .other), (.alive, .alive, nil, .success),
            (.aliveAt(.development), .aliveAt(.development), nil, .success),
            (.invalidToken, .strike(limit: 3, mayRemove: true), "invalid_token", .invalidToken),
            (.unaccepted, .unaccepted, "never_accepted", .other), (.gone(at: 9), .gone(at: 9), "gone", .other),
        ]
        for (finding, effect, removal, answer) in table {
            #expect(finding.effect(strikes: 3, mayRemove: true) == effect)
            #expect(finding.removal?.rawValue == removal && finding.guardAnswer == answer)
        }
    }

    @Test("The row has what was decided")
    func settlement() {
        let delivery = delivery(attempts: 0)
        let key = ScheduleKey(lane: .ordinary, due: 1, device: delivery.device, seq: delivery.seq)
        let settlement = FinishedAttempt(
            key, delivery, disposition(.unknown(status: 400, reason: "New", retryAfter: nil)), effect: .alive
        ).settlement
        #expect(settlement.key == key && settlement.transactionID == delivery.transactionID)
        #expect(settlement.next == .done && settlement.effect == .alive && settlement.ending == .dead)
        #expect(settlement.reason == "HTTP 400 New" && settlement.wasSent)
    }
}
