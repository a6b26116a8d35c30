import Testing

@testable import KasiaPushIndexer

@Suite("The pace of reading")
struct ReadingPaceTests {
    @Test("keeps lines an interval apart, and no longer", arguments: [799, 800, 801])
    func interval(arrival: Int) {
        var pace = ReadingPace(interval: .milliseconds(800))
        #expect(pace.turn(arrival: .zero, now: .zero).time == .zero)
        let now = Duration.milliseconds(arrival)
        #expect(pace.turn(arrival: now, now: now).time == .milliseconds(max(800, arrival)))
    }

    @Test("shows all at once without an interval")
    func withoutInterval() {
        var pace = ReadingPace(interval: .zero)
        for _ in 0..<3 {
            let turn = pace.turn(arrival: .seconds(1), now: .seconds(1))
            #expect(turn.time == .seconds(1) && !turn.saysThatLinesWait)
        }
    }

    @Test("says once that lines wait, when one waits for longer than is patient, and again after they were caught up")
    func behind() {
        var pace = ReadingPace(interval: .seconds(1))
        // Lines that came together at 0 are shown a second apart.
        let said = (0..<8).map { pace.turn(arrival: .zero, now: .seconds($0)).saysThatLinesWait }
        #expect(said == [false, false, false, false, false, false, true, false])
        #expect(!pace.turn(arrival: .seconds(10), now: .seconds(10)).saysThatLinesWait)
        #expect(pace.turn(arrival: .seconds(10), now: .seconds(20)).saysThatLinesWait)
    }

    @Test("is patient for five seconds", arguments: [4999, 5000, 5001])
    func patience(milliseconds: Int) {
        var pace = ReadingPace(interval: .zero)
        let turn = pace.turn(arrival: .zero, now: .milliseconds(milliseconds))
        #expect(turn.saysThatLinesWait == (milliseconds > 5000))
    }
}
