import Logging
import Testing
import Troubles

@Suite("A trouble in the log")
struct TroubleTests {
    @Test("is told when it begins, and not again within a minute", arguments: [-1, 0, 1])
    func again(excess: Int) {
        var trouble = Trouble()
        #expect(!trouble.isOn)
        #expect(trouble.met("refused", now: .seconds(100)) == [:])
        #expect(trouble.isOn)
        #expect(trouble.met("refused", now: .seconds(100)) == nil)
        let second = trouble.met("refused", now: .seconds(160) + .milliseconds(excess))
        let summary: Logger.Metadata = ["trouble.seconds": "60", "log.held_back": "1"]
        #expect(second == (excess < 0 ? nil : summary))
    }

    @Test("is summed up once a minute with the number of times that were not told")
    func minutes() {
        var trouble = Trouble()
        let told = (0...180).compactMap { second in
            trouble.met("refused", now: .seconds(second)).map { (second, $0["log.held_back"].map { "\($0)" }) }
        }
        #expect(told.map(\.0) == [0, 60, 120, 180])
        #expect(told.map(\.1) == [nil, "59", "59", "59"])
    }

    @Test("is told when it changes, and what changes back and forth is told once a minute")
    func change() {
        var trouble = Trouble()
        let told = (0..<120).filter { second in
            trouble.met(second.isMultiple(of: 2) ? "refused" : "reset", now: .seconds(second)) != nil
        }
        #expect(told == [0, 1, 60, 61])
    }

    @Test("that is over says how long it was, and the next one begins anew")
    func end() {
        var trouble = Trouble()
        #expect(trouble.over(now: .seconds(1)) == nil)
        _ = trouble.met("refused", now: .seconds(10))
        _ = trouble.met("refused", now: .seconds(11))
        #expect(trouble.over(now: .seconds(15)) == ["trouble.seconds": "5", "log.held_back": "1"])
        #expect(!trouble.isOn)
        #expect(trouble.met("refused", now: .seconds(16)) == [:])
    }

    @Test("keeps a few words in mind, however many it has", arguments: [-1, 0, 1])
    func bound(excess: Int) {
        var trouble = Trouble()
        for number in 0..<(Trouble.mostWords + excess) { _ = trouble.met("\(number)", now: .seconds(number)) }
        #expect((trouble.met("0", now: .seconds(30)) == nil) == (excess <= 0))
    }

    @Test("is told when the clock was set back")
    func clockSetBack() {
        var trouble = Trouble()
        _ = trouble.met("refused", now: .seconds(100))
        #expect(trouble.met("refused", now: .seconds(50)) == ["trouble.seconds": "0"])
    }
}
