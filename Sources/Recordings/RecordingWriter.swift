import Foundation
import SwiftProtobuf

/// Writes a recording to a file, entry by entry.
///
/// The file grows by complete messages, so it can be read even after a kill. It must not be used by two tasks at once.
package final class RecordingWriter {
    private static let bufferBytes = 1 << 20

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var lastOffsetMilliseconds: UInt64 = 0

    /// Creates the file, or empties it, and writes the header with the format's version.
    package init(path: String, header: Recording_RecordingHeader) throws(RecordingError) {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else {
            throw RecordingError(.fileUnavailable, "cannot create \(path)")
        }
        self.file = file
        var header = header
        header.formatVersion = Recording.formatVersion
        try put(header)
    }

    deinit {
        try? file.close()
    }

    /// Adds an entry.
    ///
    /// Throws `inconsistent` when it is older than the last one, `oversize` when it is larger than a reader takes: both
    /// the caller's fault, and nothing is written; `fileUnavailable` when the disk refuses.
    package func append(_ entry: Recording_RecordingEntry) throws(RecordingError) {
        guard entry.offsetMs >= lastOffsetMilliseconds else {
            throw RecordingError(
                .inconsistent, "time runs backwards: \(entry.offsetMs) ms after \(lastOffsetMilliseconds) ms")
        }
        lastOffsetMilliseconds = entry.offsetMs
        try put(entry)
    }

    /// Passes buffered bytes to the operating system.
    package func flush() throws(RecordingError) {
        do {
            try file.write(contentsOf: buffer)
            buffer.removeAll(keepingCapacity: true)
        } catch {
            throw RecordingError(.fileUnavailable, "cannot write the recording: \(error)")
        }
    }

    /// Writes the rest and closes the file.
    ///
    /// Nothing can be added afterwards. Without it the last entries are lost.
    package func close() throws(RecordingError) {
        try flush()
        do {
            try file.close()
        } catch {
            throw RecordingError(.fileUnavailable, "cannot close the recording: \(error)")
        }
    }

    private func put(_ message: some Message) throws(RecordingError) {
        let bytes: [UInt8]
        do {
            bytes = try message.serializedBytes()
        } catch {
            throw RecordingError(.malformed, "the entry cannot be written: \(error)")
        }
        guard bytes.count <= Recording.maximumMessageBytes else {
            throw RecordingError(
                .oversize, "an entry of \(bytes.count) bytes; at most \(Recording.maximumMessageBytes)")
        }
        buffer.append(varint: UInt64(bytes.count))
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferBytes { try flush() }
    }
}

extension [UInt8] {
    /// Appends a number as protobuf writes it: seven bits a byte, the lowest first.
    package mutating func append(varint number: UInt64) {
        var rest = number
        while rest > 0x7f {
            append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
