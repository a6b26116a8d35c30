import Foundation
import KaspaNode
import Recordings
import ReplaySupport
import SwiftProtobuf
import Testing

@Suite struct RecordingTests {
    private static func sample() -> Recording {
        var script = RecordingScript()
        script.tell(1, on: 0, transactions: [RecordingScript.transaction(100, payload: [1, 2, 3])])
        script.change(adding: [1])
        script.tell(2, on: 1)
        return script.recording
    }

    private static func bytes(_ recording: Recording) async throws -> [UInt8] {
        try await withTemporaryFile { path in
            try recording.write(to: path)
            return Array(try Data(contentsOf: URL(filePath: path)))
        }
    }

    private static func delimited(_ message: some Message) throws -> [UInt8] {
        let bytes: [UInt8] = try message.serializedBytes()
        return varint(UInt64(bytes.count)) + bytes
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var value = value
        var bytes: [UInt8] = []
        while value > 0x7f {
            bytes.append(UInt8(value & 0x7f) | 0x80)
            value >>= 7
        }
        return bytes + [UInt8(value)]
    }

    private static func error(reading bytes: [UInt8]) throws -> RecordingError? {
        try withTemporaryFile(bytes) { path in
            do throws(RecordingError) {
                _ = try Recording(contentsOf: path)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("What is written is read back")
    func roundTrip() async throws {
        let recording = Self.sample()
        try await withTemporaryFile { path in
            try recording.write(to: path)
            let read = try Recording(contentsOf: path)
            #expect(read.header == recording.header)
            #expect(read.entries == recording.entries)
        }
    }

    @Test("The file is swift-protobuf's own delimited format")
    func format() async throws {
        let recording = Self.sample()
        let expected = try recording.entries.reduce(try Self.delimited(recording.header)) {
            try $0 + Self.delimited($1)
        }
        #expect(try await Self.bytes(recording) == expected)
    }

    @Test("A file cut at any byte is read whole up to a message's end and refused with that position elsewhere")
    func truncated() async throws {
        let recording = Self.sample()
        let bytes = try await Self.bytes(recording)
        var ends = [try Self.delimited(recording.header).count]
        for entry in recording.entries {
            ends.append(ends[ends.count - 1] + (try Self.delimited(entry).count))
        }
        #expect(ends.last == bytes.count)
        for count in 1..<bytes.count {
            let error = try Self.error(reading: Array(bytes.prefix(count)))
            if ends.contains(count) {
                #expect(error == nil, "cut at \(count)")
            } else {
                #expect(error?.code == .truncated, "cut at \(count)")
                #expect(error?.offset == UInt64(ends.last { $0 < count } ?? 0), "cut at \(count)")
            }
        }
    }

    @Test(
        "What is no recording is called foreign",
        arguments: [
            [], [0], Array("a text that somebody wrote".utf8), [UInt8](repeating: 0xff, count: 100),
            [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], [3, 1, 2, 3],
        ] as [[UInt8]])
    func foreign(bytes: [UInt8]) throws {
        #expect(try Self.error(reading: bytes)?.code == .foreign)
    }

    @Test("A missing file is unavailable")
    func missing() {
        #expect { try Recording(contentsOf: "/nowhere/at/all") } throws: {
            ($0 as? RecordingError)?.code == .fileUnavailable
        }
    }

    @Test("A newer format is refused by its number")
    func newerFormat() throws {
        var header = Self.sample().header
        header.formatVersion = 2
        let error = try Self.error(reading: try Self.delimited(header))
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.message.contains("format 2") == true)
    }

    @Test("A header without a network or a start is refused", arguments: ["network", "start"])
    func uselessHeader(field: String) throws {
        var header = Self.sample().header
        if field == "network" { header.networkID = "moonnet" } else { header.startHash = "abc" }
        #expect(try Self.error(reading: try Self.delimited(header))?.code == .malformed)
    }

    @Test("A message that claims to be over the limit is refused before it is read")
    func oversize() throws {
        let header = try Self.delimited(Self.sample().header)
        let limit = UInt64(Recording.maximumMessageBytes)
        // At the limit the claim is believed, and then the bytes are missing.
        for (claim, code) in [(limit - 1, RecordingError.Code.truncated), (limit, .truncated), (limit + 1, .oversize)] {
            let error = try Self.error(reading: header + Self.varint(claim) + [1, 2, 3])
            #expect(error?.code == code, "\(claim)")
            #expect(error?.offset == UInt64(header.count))
        }
        #expect(try Self.error(reading: header + Self.varint(.max))?.code == .oversize)
        #expect(try Self.error(reading: header + [UInt8](repeating: 0x80, count: 11))?.code == .malformed)
    }

    @Test("Bytes that are no entry, and an entry without content, are malformed")
    func malformed() throws {
        let header = try Self.delimited(Self.sample().header)
        #expect(try Self.error(reading: header + [2, 0xff, 0xff])?.code == .malformed)
        #expect(try Self.error(reading: header + [0])?.code == .malformed)
    }

    @Test("Time may stand still but not run backwards, for the reader and for the writer")
    func timeOrder() async throws {
        var recording = Self.sample()
        recording.entries[1].offsetMs = recording.entries[0].offsetMs
        _ = try await Self.bytes(recording)
        recording.entries[2].offsetMs = 50
        recording.entries[1].offsetMs = 51
        await #expect { try await Self.bytes(recording) } throws: { ($0 as? RecordingError)?.code == .inconsistent }
        let bytes = try recording.entries.reduce(try Self.delimited(recording.header)) { try $0 + Self.delimited($1) }
        #expect(try Self.error(reading: bytes)?.code == .inconsistent)
    }

    @Test("A summary counts what is there")
    func summary() async throws {
        try await withTemporaryFile { path in
            try Self.sample().write(to: path)
            let summary = try RecordingSummary(try RecordingReader(path: path))
            #expect(summary.blocks == 2)
            #expect(summary.transactions == 1)
            #expect(summary.virtualChainChanges == 1)
            #expect(summary.addedChainBlocks == 1)
            #expect(summary.acceptances == 1)
            #expect(summary.durationMilliseconds == 200)
            #expect(summary.blockTimes == RecordingScript.epoch...RecordingScript.epoch + 200)
            #expect(summary.description.contains("2023-11-14T22:13:20Z"))
        }
    }
}
