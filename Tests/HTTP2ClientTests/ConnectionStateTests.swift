import TestRandom
import Testing

@testable import HTTP2Client

@Suite("Connection state")
struct ConnectionStateTests {
    /// One whose server has told that it allows as many.
    private static func state(streams: Int) -> ConnectionState {
        var state = ConnectionState(streams: streams)
        state.serverStreams = streams
        return state
    }

    @Test("lets nothing through before the server's SETTINGS")
    func beforeSettings() {
        var state = ConnectionState(streams: 10)
        #expect(state.room == 0)
        state.serverStreams = 10
        #expect(state.room == 1)
    }

    @Test("respects the lower of both limits, also while the server's changes", arguments: [0, 1, 9, 10, 11, 1000])
    func serverStreams(limit: Int) {
        var state = Self.state(streams: 10)
        state.requestStarted()
        state.requestEnded(.success)
        state.serverStreams = limit
        #expect(state.room == min(10, limit))
        while state.room > 0 { state.requestStarted() }
        state.serverStreams = 1
        #expect(state.room == (limit == 0 ? 1 : 0) && state.inFlight == min(10, limit))
    }

    @Test("lets one request through until the first success, whatever else is answered")
    func proving() {
        var state = Self.state(streams: 10)
        for _ in 1...5 {
            #expect(state.room == 1)
            state.requestStarted()
            #expect(state.room == 0)
            state.requestEnded(.noSuccess)
            #expect(state.phase == .proving)
        }
        state.requestStarted()
        state.requestEnded(.success)
        #expect(state.phase == .open)
        #expect(state.room == 10)
    }

    @Test("lets as many through from the beginning if it need not be proved")
    func unproved() {
        var state = ConnectionState(streams: 10, proves: false)
        #expect(state.phase == .open && state.room == 0)
        state.serverStreams = 9
        #expect(state.room == 9)
        state.requestStarted()
        state.requestEnded(.noSuccess)
        #expect(state.room == 9)
    }

    @Test("lets as many through as there are streams once open", arguments: [1, 2, 500])
    func open(streams: Int) {
        var state = Self.state(streams: streams)
        state.requestStarted()
        state.requestEnded(.success)
        for started in 0..<streams {
            #expect(state.room == streams - started)
            state.requestStarted()
        }
        #expect(state.room == 0)
        state.requestEnded(.noSuccess)
        #expect(state.room == 1)
        #expect(state.phase == .open)
    }

    @Test("lets nothing through after a loss, and is finished when the last one has ended")
    func retired() {
        var state = Self.state(streams: 3)
        state.requestStarted()
        state.requestEnded(.success)
        state.requestStarted()
        state.requestStarted()
        state.requestEnded(.connectionLost)
        #expect(state.phase == .retired)
        #expect(state.room == 0)
        #expect(!state.isFinished)
        state.requestEnded(.success)
        #expect(state.phase == .retired)
        #expect(state.isFinished)
    }

    @Test("is finished at once when it is retired while idle")
    func retiredIdle() {
        var state = Self.state(streams: 3)
        state.retire()
        #expect(state.isFinished)
    }

    @Test("never has more in flight than it may, over random histories")
    func random() {
        var numbers = SeededRandom()
        let seed = numbers.seed
        for _ in 0..<2000 {
            var state = Self.state(streams: Int.random(in: 1...4, using: &numbers))
            var hasSucceeded = false
            for _ in 0..<30 {
                let ending =
                    [ConnectionState.Ending.success, .noSuccess, .noSuccess, .connectionLost]
                    .randomElement(using: &numbers) ?? .success
                if Bool.random(using: &numbers), state.room > 0 {
                    state.requestStarted()
                } else if state.inFlight > 0 {
                    state.requestEnded(ending)
                    hasSucceeded = hasSucceeded || ending == .success
                }
                #expect(state.inFlight <= (hasSucceeded ? state.streams : 1), "seed \(seed)")
                #expect(state.phase != .retired || state.room == 0, "seed \(seed)")
            }
        }
    }
}
