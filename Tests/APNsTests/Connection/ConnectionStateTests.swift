import Testing

@testable import APNs

@Suite("Connection gate")
struct ConnectionStateTests {
    @Test("lets one request through until the first success, whatever else is answered")
    func proving() {
        var gate = ConnectionState(streams: 10)
        for _ in 1...5 {
            #expect(gate.room == 1)
            gate.requestStarted()
            #expect(gate.room == 0)
            gate.requestEnded(.noSuccess)
            #expect(gate.phase == .proving)
        }
        gate.requestStarted()
        gate.requestEnded(.success)
        #expect(gate.phase == .open)
        #expect(gate.room == 10)
    }

    @Test("lets as many through as there are streams once open", arguments: [1, 2, 500])
    func open(streams: Int) {
        var gate = ConnectionState(streams: streams)
        gate.requestStarted()
        gate.requestEnded(.success)
        for started in 0..<streams {
            #expect(gate.room == streams - started)
            gate.requestStarted()
        }
        #expect(gate.room == 0)
        gate.requestEnded(.noSuccess)
        #expect(gate.room == 1)
        #expect(gate.phase == .open)
    }

    @Test("lets nothing through after a loss, and is finished when the last one has ended")
    func retired() {
        var gate = ConnectionState(streams: 3)
        gate.requestStarted()
        gate.requestEnded(.success)
        gate.requestStarted()
        gate.requestStarted()
        gate.requestEnded(.connectionLost)
        #expect(gate.phase == .retired)
        #expect(gate.room == 0)
        #expect(!gate.isFinished)
        gate.requestEnded(.success)
        #expect(gate.phase == .retired)
        #expect(gate.isFinished)
    }

    @Test("is finished at once when it is retired while idle")
    func retiredIdle() {
        var gate = ConnectionState(streams: 3)
        gate.retire()
        #expect(gate.isFinished)
    }

    @Test("never has more in flight than it may, over random histories")
    func random() {
        let seed = UInt64.random(in: .min ... .max)
        var numbers = SeededNumbers(state: seed)
        for _ in 0..<2000 {
            var gate = ConnectionState(streams: Int.random(in: 1...4, using: &numbers))
            var hasSucceeded = false
            for _ in 0..<30 {
                let ending =
                    [ConnectionState.Ending.success, .noSuccess, .noSuccess, .connectionLost]
                    .randomElement(using: &numbers) ?? .success
                if Bool.random(using: &numbers), gate.room > 0 {
                    gate.requestStarted()
                } else if gate.inFlight > 0 {
                    gate.requestEnded(ending)
                    hasSucceeded = hasSucceeded || ending == .success
                }
                #expect(gate.inFlight <= (hasSucceeded ? gate.streams : 1), "seed \(seed)")
                #expect(gate.phase != .retired || gate.room == 0, "seed \(seed)")
            }
        }
    }
}

/// SplitMix64: random numbers that a seed repeats.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
