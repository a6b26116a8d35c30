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
        let recorded = DemoTimetable(recording, devices: phones)
        #expect(recorded.firstPush == 224_113)
        #expect(recorded.lastScore > 0)
        let paced = recorded.atReadingPace()
        let timetable = DemoTimetable(paced, devices: phones)
        #expect(timetable.firstPush == DemoTimetable.leadIn)
        // 63 pushes, about: `Audience` has the last word.
        let length = try #require(paced.entries.last).offsetMs
        #expect((63 * DemoTimetable.pushInterval...90_000).contains(length), "\(length) ms")
        #expect(recorded.firstDevice?.owner == "Bob")
        #expect(paced.header == recording.header)
        #expect(paced.entries.map(\.event) == recording.entries.map(\.event))
        #expect(zip(paced.entries, paced.entries.dropFirst()).allSatisfy { $0.offsetMs <= $1.offsetMs })
    }

    @Test("leaves time for the first push on further devices")
    func furtherDevices() throws {
        let timetable = DemoTimetable(try Recording(contentsOf: Self.file), devices: DemoDevice.cast())
        let length = try #require(timetable.atReadingPace().entries.last).offsetMs
        let longer = timetable.atReadingPace(furtherDevices: 2)
        #expect(longer.entries.last?.offsetMs == length + 2 * DemoTimetable.pushInterval)
        #expect(DemoTimetable(longer, devices: DemoDevice.cast()).firstPush == DemoTimetable.leadIn)
    }

    @Test("plays a recording without a push for these devices at ten times its speed")
    func withoutPushes() throws {
        let recording = try Recording(contentsOf: Self.file)
        let timetable = DemoTimetable(recording, devices: [])
        #expect(timetable.firstPush == nil && timetable.firstDevice == nil)
        #expect(timetable.atReadingPace().entries.map(\.offsetMs) == recording.entries.map { $0.offsetMs / 10 })
    }

    @Test("leaves a recording that begins with a push as quick as it is")
    func earlyPush() throws {
        var recording = try Recording(contentsOf: Self.file)
        for index in recording.entries.indices { recording.entries[index].offsetMs /= 100 }
        let timetable = DemoTimetable(recording, devices: DemoDevice.cast())
        let first = try #require(timetable.firstPush)
        #expect(first < DemoTimetable.leadIn)
        #expect(DemoTimetable(timetable.atReadingPace(), devices: DemoDevice.cast()).firstPush == first)
    }

    @Test("survives an empty recording")
    func empty() throws {
        var recording = try Recording(contentsOf: Self.file)
        recording.entries = []
        let timetable = DemoTimetable(recording, devices: DemoDevice.cast())
        #expect(timetable.firstPush == nil && timetable.lastScore == 0)
        #expect(timetable.atReadingPace().entries.isEmpty)
    }
}
