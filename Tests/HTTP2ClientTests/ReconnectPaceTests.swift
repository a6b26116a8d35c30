import Testing

@testable import HTTP2Client

@Suite("Reconnect pace")
struct ReconnectPaceTests {
    @Test("lets the first connection and the first successor open at once")
    func immediate() {
        var pace = ReconnectPace()
        #expect(pace.pause(at: .zero) == .zero)
        pace.connectionEnded(at: .seconds(1), life: nil)
        #expect(pace.pause(at: .seconds(1)) == .zero)
    }

    @Test("doubles the pause from 200 ms to 10 s while connections do not live")
    func doubling() {
        var pace = ReconnectPace()
        pace.connectionEnded(at: .zero, life: nil)
        for expected in [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000] {
            pace.connectionEnded(at: .zero, life: .milliseconds(4999))
            #expect(pace.pause(at: .zero) == .milliseconds(expected))
        }
        for _ in 0..<100 { pace.connectionEnded(at: .zero, life: nil) }
        #expect(pace.pause(at: .zero) == .seconds(10))
        #expect(pace.pause(at: .milliseconds(9999)) == .milliseconds(1))
        #expect(pace.pause(at: .seconds(10)) == .zero)
        #expect(pace.pause(at: .seconds(100)) == .zero)
    }

    @Test("forgives all once a connection has lived", arguments: [(4999, false), (5000, true), (5001, true)])
    func forgiving(milliseconds: Int, forgiven: Bool) {
        var pace = ReconnectPace()
        for _ in 0..<5 { pace.connectionEnded(at: .zero, life: nil) }
        pace.connectionEnded(at: .zero, life: .milliseconds(milliseconds))
        #expect((pace.pause(at: .zero) == .zero) == forgiven)
    }
}
