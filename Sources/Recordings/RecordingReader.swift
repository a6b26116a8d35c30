import Foundation
import Kaspa
import SwiftProtobuf

/// Reads a recording from a file, one entry at a time.
///
/// It must not be used by two tasks at once.
package final class RecordingReader {
    /// The largest header, in bytes.
    ///
    /// A larger one means another kind of file.
    private static let maximumHeaderBytes = 64 * 1024
    /// How the field `format_version` begins.
    private static let versionTag: UInt8 = 1 << 3
    private static let chunkBytes = 1 << 20

    /// What the file says of itself.
    package private(set) var header = Recording_RecordingHeader()

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    /// Where in the file `buffer` begins.
    private var bufferOffset: UInt64 = 0
    private var lastOffsetMilliseconds: UInt64 = 0

    /// Opens a file and reads its header.
    ///
    /// Throws `foreign` when the file is no recording and `unsupportedVersion` when it is a newer one.
    package init(path: String) throws(RecordingError) {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw RecordingError(.fileUnavailable, "cannot open \(path)")
        }
        self.file = file
        header = try readHeader()
    }

    deinit {
        try? file.close()
    }

    /// The next entry; nil at the file's end.
    ///
    /// Throws `truncated`, `oversize` or `malformed` with the position of the message, `inconsistent` when time runs
    /// backwards.
    package func next() throws(RecordingError) -> Recording_RecordingEntry? {
        let start = offset
        guard let bytes = try nextMessage(limit: Recording.maximumMessageBytes) else { return nil }
        let entry: Recording_RecordingEntry
        do {
            entry = try Recording_RecordingEntry(serializedBytes: bytes)
        } catch {
            throw RecordingError(.malformed, at: start, "not a recording's entry: \(error)")
        }
        guard entry.event != nil else {
            throw RecordingError(
                .malformed, at: start, "the entry holds neither a block nor a change of the virtual chain")
        }
        guard entry.offsetMs >= lastOffsetMilliseconds else {
            throw RecordingError(
                .inconsistent, at: start,
                "time runs backwards: \(entry.offsetMs) ms after \(lastOffsetMilliseconds) ms")
        }
        lastOffsetMilliseconds = entry.offsetMs
        return entry
    }

    private func readHeader() throws(RecordingError) -> Recording_RecordingHeader {
        let foreign = RecordingError(.foreign, at: 0, "the file is not a recording")
        let header: Recording_RecordingHeader
        do {
            guard let bytes = try nextMessage(limit: Self.maximumHeaderBytes) else { throw foreign }
            header = try Recording_RecordingHeader(serializedBytes: bytes)
        } catch let error as RecordingError where error.code == .fileUnavailable {
            throw error
        } catch let error as RecordingError where error.code == .truncated {
            // Every writer puts the format's version first; a text or an archive that looks too short for its first
            // byte does not.
            throw position == buffer.count || buffer[position] == Self.versionTag ? error : foreign
        } catch {
            throw foreign
        }
        guard header.formatVersion != 0 else { throw foreign }
        guard header.formatVersion == Recording.formatVersion else {
            throw RecordingError(
                .unsupportedVersion, at: 0,
                "the recording has format \(header.formatVersion); this program reads format \(Recording.formatVersion)"
            )
        }
        guard Network(header.networkID) != nil, Hash(header.startHash) != nil else {
            throw RecordingError(.malformed, at: 0, "the header names no network or no start block")
        }
        return header
    }

    private var offset: UInt64 { bufferOffset + UInt64(position) }

    /// The bytes of the next message; nil when the file ends before it begins.
    private func nextMessage(limit: Int) throws(RecordingError) -> [UInt8]? {
        let start = offset
        var length: UInt64 = 0
        for index in 0..<10 {
            guard try fill(1) else {
                if index == 0 { return nil }
                throw RecordingError(.truncated, at: start, "the file ends within a message's length")
            }
            let byte = buffer[position]
            position += 1
            length |= UInt64(byte & 0x7f) << (7 * UInt64(index))
            guard byte & 0x80 != 0 else {
                guard length <= UInt64(limit) else {
                    throw RecordingError(
                        .oversize, at: start, "a message of \(length) bytes; at most \(limit) are read")
                }
                let count = Int(length)
                guard try fill(count) else {
                    throw RecordingError(
                        .truncated, at: start,
                        "the file ends within a message: \(buffer.count - position) of \(count) bytes are there")
                }
                defer { position += count }
                return Array(buffer[position..<position + count])
            }
        }
        throw RecordingError(.malformed, at: start, "a message's length has more than ten bytes")
    }

    /// Reads on until `count` bytes are ahead; false when the file ends first.
    ///
    /// Memory grows with what is there, not with what is claimed.
    private func fill(_ count: Int) throws(RecordingError) -> Bool {
        guard buffer.count - position < count else { return true }
        bufferOffset += UInt64(position)
        buffer.removeFirst(position)
        position = 0
        while buffer.count < count {
            do {
                guard let chunk = try file.read(upToCount: Self.chunkBytes), !chunk.isEmpty else { return false }
                buffer.append(contentsOf: chunk)
            } catch {
                throw RecordingError(.fileUnavailable, at: offset, "cannot read on: \(error)")
            }
        }
        return true
    }
}
