import Testing

@testable import WebPush

@Suite("Origin gate")
struct OriginGateTests {
    private let gate = Gate()

    @Test("is open until a refusal, and then for one probe at a time")
    func probes() {
        #expect(gate.ask(at: 0) == .open)
        #expect(gate.refused(sentAt: 0, isProbe: false, at: 100) == 5_000)
        #expect(gate.isClosed)
        #expect(gate.ask(at: 101) == .wait(4_999))
        #expect(gate.ask(at: 5_099) == .wait(1))
        #expect(gate.ask(at: 5_100) == .probe)
        #expect(gate.ask(at: 5_100) == .wait(1_000))
        #expect(gate.accepted(at: 5_200))
        #expect(gate.ask(at: 5_200) == .open)
        #expect(!gate.isClosed)
        #expect(!gate.accepted(at: 5_300))
    }

    @Test("pauses double with each refused probe, to ten minutes, and begin anew after a success")
    func grows() {
        var now: UInt64 = 0
        var pauses: [UInt64] = []
        _ = gate.refused(sentAt: now, isProbe: false, at: now)
        for _ in 0..<9 {
            guard case .wait(let pause) = gate.ask(at: now) else { break }
            pauses.append(pause)
            now += pause
            #expect(gate.ask(at: now) == .probe)
            _ = gate.refused(sentAt: now, isProbe: true, at: now)
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 320, 600, 600].map { $0 * 1_000 })
        now += 600_000
        #expect(gate.ask(at: now) == .probe)
        #expect(gate.accepted(at: now))
        #expect(gate.refused(sentAt: now + 1, isProbe: false, at: now + 1) == 5_000)
    }

    @Test("what was on its way together is one refusal")
    func together() {
        #expect(gate.refused(sentAt: 0, isProbe: false, at: 100) == 5_000)
        #expect(gate.refused(sentAt: 0, isProbe: false, at: 1_100) == 4_000)
        #expect(gate.refused(sentAt: 0, isProbe: false, at: 9_000) == 0)
        #expect(gate.refusals == 1)
    }

    @Test("a refusal after another push was taken concerns its subscription alone")
    func oneSubscription() {
        #expect(!gate.accepted(at: 50))
        #expect(gate.refused(sentAt: 50, isProbe: false, at: 60) == nil)
        #expect(!gate.isClosed)
        #expect(gate.refused(sentAt: 51, isProbe: false, at: 60) == 5_000)
    }

    @Test("a probe that says nothing lets the next one go")
    func inconclusive() {
        _ = gate.refused(sentAt: 0, isProbe: false, at: 0)
        #expect(gate.ask(at: 5_000) == .probe)
        gate.ended(isProbe: false)
        #expect(gate.ask(at: 5_001) == .wait(1_000))
        gate.ended(isProbe: true)
        #expect(gate.ask(at: 5_002) == .probe)
        #expect(gate.refusals == 1)
    }
}

/// A gate by reference, for expectations.
private final class Gate {
    private var gate = OriginGate()

    var isClosed: Bool { gate.isClosed }
    var refusals: Int { gate.refusals }

    func ask(at now: UInt64) -> OriginGate.Passage { gate.ask(at: now) }

    func accepted(at now: UInt64) -> Bool { gate.accepted(at: now) }

    func refused(sentAt: UInt64, isProbe: Bool, at now: UInt64) -> UInt64? {
        gate.refused(sentAt: sentAt, isProbe: isProbe, at: now)
    }

    func ended(isProbe: Bool) { gate.ended(isProbe: isProbe) }
}
