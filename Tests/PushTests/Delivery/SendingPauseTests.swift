import APNs
import Carriers
import Testing

@testable import Push

@Suite("SendingPause")
struct SendingPauseTests {
    private func allowance(_ pause: SendingPause, _ now: UInt64) -> Int {
        pause.allowance(capacity: 9, now: now).inFlight
    }

    @Test("Without a pause everything goes through")
    func open() {
        #expect(allowance(SendingPause(), 0) == 9)
        #expect(SendingPause().allowance(capacity: 9, now: .max).askAgainAt == nil)
    }

    @Test(
        "A pause lets nothing through until it is over, then one probe",
        arguments: [
            (CarrierPause.refused("x"), UInt64(5_000)), (.noProviderToken("x"), 5_000), (.expired, 60_000),
            (.throttled, 60_000),
        ])
    func closes(reason: CarrierPause, length: UInt64) {
        var pause = SendingPause()
        pause.begin(reason, now: 100)
        #expect(pause.reason == reason)
        #expect(allowance(pause, 100) == 0)
        #expect(pause.allowance(capacity: 9, now: 100).askAgainAt == 100 + length)
        #expect(allowance(pause, 100 + length - 1) == 0)
        #expect(allowance(pause, 100 + length) == 1)
        #expect(allowance(pause, 100 + length + 1) == 1)
        #expect(allowance(pause, .max) == 1)
    }

    @Test(
        "Each refused probe doubles the pause, up to a ceiling",
        arguments: [
            (
                CarrierPause.refused("x"),
                [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]
            ),
            (.throttled, [60_000, 120_000, 120_000]),
        ] as [(CarrierPause, [UInt64])])
    func doubles(reason: CarrierPause, lengths: [UInt64]) {
        var pause = SendingPause()
        var now: UInt64 = 1
        for length in lengths {
            pause.begin(reason, now: now)
            #expect(allowance(pause, now + length - 1) == 0)
            now += length
            #expect(allowance(pause, now) == 1)
        }
    }

    @Test("Answers that were in flight with the first refusal lengthen nothing, whatever their reasons")
    func countsOnce() {
        var pause = SendingPause()
        pause.begin(.refused("a"), now: 0)
        for now in 0..<UInt64(4_999) { pause.begin(.refused(now % 2 == 0 ? "b" : "a"), now: now) }
        #expect(allowance(pause, 4_999) == 0)
        #expect(allowance(pause, 5_000) == 1)
    }

    @Test("A throttled provider token is given its minute although sending was paused for less")
    func longerPauseWins() {
        var pause = SendingPause()
        pause.begin(.refused("a"), now: 0)
        pause.begin(.throttled, now: 10)
        #expect(allowance(pause, 60_009) == 0)
        #expect(allowance(pause, 60_010) == 1)
        pause.begin(.refused("a"), now: 60_011)
        #expect(pause.reason == .refused("a"))
        #expect(allowance(pause, 60_011 + 119_999) == 0)
        #expect(allowance(pause, 60_011 + 120_000) == 1)
    }

    @Test("Only an answer to a probe ends the pause, and the next refusal starts from the shortest pause")
    func reopens() {
        var pause = SendingPause()
        pause.begin(.refused("a"), now: 0)
        let early = pause.credentialsAccepted(now: 4_999)
        #expect(!early)
        #expect(allowance(pause, 4_999) == 0)
        let inTime = pause.credentialsAccepted(now: 5_000)
        #expect(inTime)
        #expect(pause == SendingPause())
        let again = pause.credentialsAccepted(now: 5_001)
        #expect(!again)
        pause.begin(.refused("a"), now: 6_000)
        #expect(allowance(pause, 11_000) == 1)
    }

    @Test("With new credentials a probe goes out at once; if it fails, the next one waits the shortest pause again")
    func probesNewCredentials() {
        var pause = SendingPause()
        pause.begin(.refused("a"), now: 0)
        pause.begin(.refused("a"), now: 5_000)
        pause.begin(.refused("a"), now: 15_000)
        #expect(allowance(pause, 34_999) == 0)
        pause.probeNow()
        #expect(pause.reason == .refused("a"))
        #expect(allowance(pause, 20_000) == 1)
        pause.begin(.refused("a"), now: 20_000)
        #expect(allowance(pause, 24_999) == 0)
        #expect(allowance(pause, 25_000) == 1)
    }

    @Test("A clock set back holds no longer than the pause, and probes keep their pause")
    func clockSetBack() {
        var pause = SendingPause()
        pause.begin(.refused("a"), now: 1_000_000)
        #expect(allowance(pause, 1_000_000 - 1) == 1)
        pause.begin(.refused("a"), now: 500)
        #expect(allowance(pause, 500) == 0)
        #expect(allowance(pause, 10_499) == 0)
        #expect(allowance(pause, 10_500) == 1)
    }

    @Test("A clock set forward only makes the probe earlier, and the end of time does not trap")
    func clockSetForward() {
        var pause = SendingPause()
        pause.begin(.throttled, now: 0)
        #expect(allowance(pause, 1 << 60) == 1)
        pause.begin(.throttled, now: .max)
        #expect(allowance(pause, .max) == 1)
    }

    @Test(
        "Each reason has a sentence of its own: Apple is not blamed for what is wrong here",
        arguments: [
            (
                APNsOutcome.configurationRefused(.badTopic),
                "Apple refuses the credentials or the topic: BadTopic"
            ),
            (
                .notSent(.noProviderToken("the disk is full")),
                "no provider token can be made: the disk is full"
            ),
            (.providerTokenExpired, "Apple calls the provider token expired: this machine's clock may be wrong"),
            (.providerTokenThrottled(retryAfter: nil), "Apple throttles the provider token"),
        ])
    func sentences(outcome: APNsOutcome, sentence: String) throws {
        guard case .carrierWaits(let pause, nil) = SendOutcome(outcome).effect else {
            Issue.record("nothing waits")
            return
        }
        #expect(pause.sentence == sentence)
    }

    @Test("A busy carrier is given the time that it asks for, at least its own least, with up to a quarter more")
    func busy() {
        let busy = CarrierPause(.busy(atLeast: .seconds(60)), "the quota is used up")
        for (asked, random, length) in [
            (0, 0, 60_000), (59_999, 0, 60_000), (60_001, 0, 60_001), (0, 0.5, 67_500), (120_000, 1, 150_000),
        ] as [(UInt64, Double, UInt64)] {
            var pause = SendingPause()
            pause.begin(busy, atLeast: asked, now: 0, random: random)
            #expect(allowance(pause, length - 1) == 0)
            #expect(allowance(pause, length) == 1)
        }
    }

    @Test("What is the matter is said with the time until Apple is asked again")
    func nextTry() {
        var pause = SendingPause()
        #expect(pause.sentence(now: 0) == nil)
        pause.begin(.throttled, now: 1_000)
        for (now, end) in [(1_000, "next try in 60 s"), (60_000, "next try in 1 s"), (61_000, "trying now")] {
            #expect(pause.sentence(now: UInt64(now)) == "Apple throttles the provider token; \(end)")
        }
    }

    @Test("What the sender hands back pauses for a second, without a reason")
    func handedBack() {
        var pause = SendingPause()
        pause.handedBack(now: 10)
        #expect(pause.reason == nil)
        #expect(allowance(pause, 1_009) == 0)
        #expect(pause.allowance(capacity: 9, now: 10).askAgainAt == 1_010)
        #expect(allowance(pause, 1_010) == 9)
        pause.begin(.refused("a"), now: 20)
        pause.handedBack(now: 21)
        #expect(allowance(pause, 5_019) == 0)
        #expect(allowance(pause, 5_020) == 1)
    }
}
