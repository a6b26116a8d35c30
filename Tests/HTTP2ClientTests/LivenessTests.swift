import Testing

@testable import HTTP2Client

@Suite("Liveness of a connection")
struct LivenessTests {
    private static let start = ContinuousClock.now
    private static let settings: HTTP2Settings = {
        var settings = HTTP2Settings(service: "Test", origin: "https://localhost", streams: 1)
        settings.pingWhenWaiting = .seconds(10)
        settings.pingWhenIdle = .seconds(60)
        settings.pingTimeout = .seconds(10)
        return settings
    }()
    private var liveness = Liveness(settings, at: start)

    @Test("a silent server is asked: after ten seconds while requests wait, after sixty while none do")
    mutating func asks() {
        for (isWaiting, limit) in [(true, 10), (false, 60)] {
            var liveness = liveness
            #expect(
                liveness.check(at: Self.start + .seconds(limit) - .milliseconds(1), isWaiting: isWaiting) == .nothing)
            #expect(liveness.check(at: Self.start + .seconds(limit), isWaiting: isWaiting) == .ping)
            #expect(liveness.check(at: Self.start + .seconds(limit), isWaiting: isWaiting) == .nothing, "once")
        }
    }

    @Test("one that does not answer within ten seconds is dead")
    mutating func dies() {
        #expect(liveness.check(at: Self.start + .seconds(30), isWaiting: true) == .ping)
        #expect(liveness.check(at: Self.start + .milliseconds(39_999), isWaiting: false) == .nothing)
        #expect(liveness.check(at: Self.start + .seconds(40), isWaiting: false) == .dead)
    }

    @Test("any byte shows that it lives, and is counted from")
    mutating func lives() {
        #expect(liveness.check(at: Self.start + .seconds(10), isWaiting: true) == .ping)
        liveness.received(at: Self.start + .seconds(19))
        #expect(liveness.check(at: Self.start + .seconds(28), isWaiting: true) == .nothing)
        #expect(liveness.check(at: Self.start + .seconds(29), isWaiting: true) == .ping)
        #expect(liveness.nextCheck(isWaiting: true) == Self.start + .seconds(39))
        liveness.received(at: Self.start + .seconds(30))
        #expect(liveness.nextCheck(isWaiting: true) == Self.start + .seconds(40))
        #expect(liveness.nextCheck(isWaiting: false) == Self.start + .seconds(90))
    }
}
