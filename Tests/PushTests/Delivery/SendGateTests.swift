import Testing

@testable import Push

@Suite("SendGate")
struct SendGateTests {
    private func allowance(_ gate: SendGate, _ now: UInt64) -> Int { gate.allowance(capacity: 9, now: now).inFlight }

    @Test("An open gate lets everything through")
    func open() {
        #expect(allowance(SendGate(), 0) == 9)
        #expect(SendGate().allowance(capacity: 9, now: .max).askAgainAt == nil)
    }

    @Test(
        "A closed gate lets nothing through until its pause is over, then one probe",
        arguments: [
            (SendGate.Closure.refused("x"), UInt64(5_000)), (.noProviderToken("x"), 5_000), (.expired, 60_000),
            (.throttled, 60_000),
        ])
    func closes(closure: SendGate.Closure, pause: UInt64) {
        var gate = SendGate()
        gate.close(closure, now: 100)
        #expect(gate.closure == closure)
        #expect(allowance(gate, 100) == 0)
        #expect(gate.allowance(capacity: 9, now: 100).askAgainAt == 100 + pause)
        #expect(allowance(gate, 100 + pause - 1) == 0)
        #expect(allowance(gate, 100 + pause) == 1)
        #expect(allowance(gate, 100 + pause + 1) == 1)
        #expect(allowance(gate, .max) == 1)
    }

    @Test(
        "Each refused probe doubles the pause, up to a ceiling",
        arguments: [
            (
                SendGate.Closure.refused("x"),
                [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]
            ),
            (.throttled, [60_000, 120_000, 120_000]),
        ] as [(SendGate.Closure, [UInt64])])
    func doubles(closure: SendGate.Closure, pauses: [UInt64]) {
        var gate = SendGate()
        var now: UInt64 = 1
        for pause in pauses {
            gate.close(closure, now: now)
            #expect(allowance(gate, now + pause - 1) == 0)
            now += pause
            #expect(allowance(gate, now) == 1)
        }
    }

    @Test("Answers that were in flight with the first refusal lengthen nothing, whatever their reasons")
    func countsOnce() {
        var gate = SendGate()
        gate.close(.refused("a"), now: 0)
        for now in 0..<UInt64(4_999) { gate.close(.refused(now % 2 == 0 ? "b" : "a"), now: now) }
        #expect(allowance(gate, 4_999) == 0)
        #expect(allowance(gate, 5_000) == 1)
    }

    @Test("A throttled provider token is given its minute although the gate was closed for less")
    func longerPauseWins() {
        var gate = SendGate()
        gate.close(.refused("a"), now: 0)
        gate.close(.throttled, now: 10)
        #expect(allowance(gate, 60_009) == 0)
        #expect(allowance(gate, 60_010) == 1)
        gate.close(.refused("a"), now: 60_011)
        #expect(gate.closure == .refused("a"))
        #expect(allowance(gate, 60_011 + 119_999) == 0)
        #expect(allowance(gate, 60_011 + 120_000) == 1)
    }

    @Test("Only an answer to a probe opens the gate, and the next refusal starts from the shortest pause")
    func reopens() {
        var gate = SendGate()
        gate.close(.refused("a"), now: 0)
        let early = gate.credentialsAccepted(now: 4_999)
        #expect(!early)
        #expect(allowance(gate, 4_999) == 0)
        let inTime = gate.credentialsAccepted(now: 5_000)
        #expect(inTime)
        #expect(gate == SendGate())
        let again = gate.credentialsAccepted(now: 5_001)
        #expect(!again)
        gate.close(.refused("a"), now: 6_000)
        #expect(allowance(gate, 11_000) == 1)
    }

    @Test("With new credentials a probe goes out at once; if it fails, the next one waits the shortest pause again")
    func probesNewCredentials() {
        var gate = SendGate()
        gate.close(.refused("a"), now: 0)
        gate.close(.refused("a"), now: 5_000)
        gate.close(.refused("a"), now: 15_000)
        #expect(allowance(gate, 34_999) == 0)
        gate.probeNow()
        #expect(gate.closure == .refused("a"))
        #expect(allowance(gate, 20_000) == 1)
        gate.close(.refused("a"), now: 20_000)
        #expect(allowance(gate, 24_999) == 0)
        #expect(allowance(gate, 25_000) == 1)
    }

    @Test("A clock set back holds the gate no longer than its pause, and probes keep their pause")
    func clockSetBack() {
        var gate = SendGate()
        gate.close(.refused("a"), now: 1_000_000)
        #expect(allowance(gate, 1_000_000 - 1) == 1)
        gate.close(.refused("a"), now: 500)
        #expect(allowance(gate, 500) == 0)
        #expect(allowance(gate, 10_499) == 0)
        #expect(allowance(gate, 10_500) == 1)
    }

    @Test("A clock set forward only makes the probe earlier, and the end of time does not trap")
    func clockSetForward() {
        var gate = SendGate()
        gate.close(.throttled, now: 0)
        #expect(allowance(gate, 1 << 60) == 1)
        gate.close(.throttled, now: .max)
        #expect(allowance(gate, .max) == 1)
    }

    @Test(
        "Each closure has a sentence of its own: Apple is not blamed for what is wrong here",
        arguments: [
            (SendGate.Closure.refused("BadTopic"), "Apple refuses the credentials or the topic: BadTopic"),
            (.noProviderToken("the disk is full"), "no provider token can be made: the disk is full"),
            (.expired, "Apple calls the provider token expired: this machine's clock may be wrong"),
            (.throttled, "Apple throttles the provider token"),
        ])
    func sentences(closure: SendGate.Closure, sentence: String) {
        #expect(closure.sentence == sentence)
    }

    @Test("What is the matter is said with the time until Apple is asked again")
    func nextTry() {
        var gate = SendGate()
        #expect(gate.sentence(now: 0) == nil)
        gate.close(.throttled, now: 1_000)
        for (now, end) in [(1_000, "next try in 60 s"), (60_000, "next try in 1 s"), (61_000, "trying now")] {
            #expect(gate.sentence(now: UInt64(now)) == "Apple throttles the provider token; \(end)")
        }
    }

    @Test("What the sender hands back pauses for a second and is no closure")
    func handedBack() {
        var gate = SendGate()
        gate.handedBack(now: 10)
        #expect(gate.closure == nil)
        #expect(allowance(gate, 1_009) == 0)
        #expect(gate.allowance(capacity: 9, now: 10).askAgainAt == 1_010)
        #expect(allowance(gate, 1_010) == 9)
        gate.close(.refused("a"), now: 20)
        gate.handedBack(now: 21)
        #expect(allowance(gate, 5_019) == 0)
        #expect(allowance(gate, 5_020) == 1)
    }
}
