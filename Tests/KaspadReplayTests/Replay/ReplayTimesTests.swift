import Kaspa
import KaspaNode
import Recordings
import ReplaySupport
import Testing

@testable import KaspadReplay

@Suite struct ReplayTimesTests {
    private static let start: UInt64 = 1_900_000_000_000

    private static func recording() -> Recording {
        var script = RecordingScript()
        script.tell(1, on: 0, transactions: [RecordingScript.transaction(100)])
        script.tell(2, on: 1)
        script.change(adding: [1, 2])
        return script.recording
    }

    @Test("At real time a block's time is the moment at which it is told", arguments: [0.5, 1, 10])
    func realTime(factor: Double) throws {
        let entries = Self.recording().entries
        let times = ReplayTimes(entries, pace: .realTime(factor: factor), start: Self.start)
        let told = times.moved(entries[1])
        #expect(told.block.header.timestamp == Int64(Self.start) + Int64(100 / factor))
        let first = times.moved(entries[0])
        #expect(first.block.header.timestamp == Int64(Self.start))
        #expect(first.block.transactions[0].verboseData.blockTime == Self.start)
        let change = times.moved(entries[2]).virtualChain
        #expect(change.added.map(\.chainBlockHeader.timestamp) == [first, told].map(\.block.header.timestamp))
        #expect(change.added[0].acceptedTransactions[0].verboseData.blockTime == Self.start)
        // A block from before the recording keeps its distance, scaled.
        #expect(
            times.time(of: RecordingScript.hash(77), recorded: RecordingScript.epoch - 1000) == Self.start
                - UInt64(1000 / factor))
    }

    @Test("In steps and at full speed the latest block is of now", arguments: [ReplayPace.stepped, .asFastAsPossible])
    func atOnce(pace: ReplayPace) {
        let entries = Self.recording().entries
        let times = ReplayTimes(entries, pace: pace, start: Self.start)
        #expect(times.moved(entries[1]).block.header.timestamp == Int64(Self.start))
        #expect(times.moved(entries[0]).block.header.timestamp == Int64(Self.start) - 100)
    }

    @Test("A block has the time at which it was told first, wherever it is named")
    func ofTelling() {
        let entries = Self.recording().entries
        var times = ReplayTimes(entries, pace: .stepped, start: Self.start)
        times.tell(entries[0], at: Self.start + 7)
        times.tell(entries[1], at: Self.start + 5_000)
        times.tell(entries[0], at: Self.start + 9_000)
        let told = times.moved(entries[1])
        #expect(told.block.header.timestamp == Int64(Self.start) + 5_000)
        let first = times.moved(entries[0])
        #expect(first.block.header.timestamp == Int64(Self.start) + 7)
        #expect(first.block.transactions[0].verboseData.blockTime == Self.start + 7)
        let change = times.moved(entries[2]).virtualChain
        #expect(change.added.map(\.chainBlockHeader.timestamp) == [first, told].map(\.block.header.timestamp))
    }

    @Test("Times that no block has do not trap", arguments: [Int64.min, -1, 0, .max])
    func absurd(time: Int64) {
        for pace in [ReplayPace.stepped, .realTime(factor: 1), .realTime(factor: 1e-300), .realTime(factor: 1e300)] {
            var entries = Self.recording().entries
            entries[0].block.header.timestamp = time
            entries[0].offsetMs = .max
            let times = ReplayTimes(entries, pace: pace, start: Self.start)
            for entry in entries { _ = times.moved(entry) }
            #expect(times.time(of: nil, recorded: time) <= UInt64(Int64.max))
        }
    }

    @Test("A recording without blocks has no times to move")
    func empty() {
        #expect(ReplayTimes([], pace: .stepped, start: Self.start).time(of: nil, recorded: 5) == Self.start + 5)
    }
}
