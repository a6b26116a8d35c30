import Foundation
import KaspaNode
import Recordings
import Testing

@testable import KasiaPushIndexer

@Suite("The demo's timetable")
struct DemoTimetableTests {
    private static let file = "\(projectDirectory)/Tests/Fixtures/recorded-blocks.recording"

    @Test("lets the first push of the recorded blocks come within seconds, and leaves time for each")
    func recordedBlocks() throws {
        let recording = try Recording(contentsOf: Self.file)
        let phones = DemoDevice.cast()
        let recorded = DemoTimetable(recording, phones: phones)
        #expect(recorded.firstPush == 224_113)
        #expect(recorded.lastScore > 0)
        let paced = recorded.atReadingPace()
        let timetable = DemoTimetable(paced, phones: phones)
        #expect(timetable.firstPush == DemoTimetable.leadIn)
        // 63 pushes, about: `Audience` has the last word.
        let length = try #require(paced.entries.last).offsetMs
        #expect((63 * DemoTimetable.pushInterval...90_000).contains(length), "\(length) ms")
        #expect(paced.header == recording.header)
        #expect(paced.entries.map(\.event) == recording.entries.map(\.event))
        #expect(zip(paced.entries, paced.entries.dropFirst()).allSatisfy { $0.offsetMs <= $1.offsetMs })
    }

    @Test("plays a recording without a push for these phones at ten times its speed")
    func withoutPushes() throws {
        let recording = try Recording(contentsOf: Self.file)
        let timetable = DemoTimetable(recording, phones: [])
        #expect(timetable.firstPush == nil)
        #expect(timetable.atReadingPace().entries.map(\.offsetMs) == recording.entries.map { $0.offsetMs / 10 })
    }

    @Test("leaves a recording that begins with a push as quick as it is")
    func earlyPush() throws {
        var recording = try Recording(contentsOf: Self.file)
        for index in recording.entries.indices { recording.entries[index].offsetMs /= 100 }
        let timetable = DemoTimetable(recording, phones: DemoDevice.cast())
        let first = try #require(timetable.firstPush)
        #expect(first < DemoTimetable.leadIn)
        #expect(DemoTimetable(timetable.atReadingPace(), phones: DemoDevice.cast()).firstPush == first)
    }

    @Test("survives an empty recording")
    func empty() throws {
        var recording = try Recording(contentsOf: Self.file)
        recording.entries = []
        let timetable = DemoTimetable(recording, phones: DemoDevice.cast())
        #expect(timetable.firstPush == nil && timetable.lastScore == 0)
        #expect(timetable.atReadingPace().entries.isEmpty)
    }
}
