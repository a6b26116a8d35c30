/// A recording of a node, fully in memory.
///
/// The format is `proto/recording.proto`. A recording takes about three times its file's size; 256 MiB of file are
/// fifteen minutes of a busy mainnet.
package struct Recording: Sendable {
    /// The only format so far.
    package static let formatVersion: UInt32 = 1

    /// The largest message read or written, in bytes: a node's catch-up answer is tens of megabytes.
    package static let maximumMessageBytes = 256 * 1024 * 1024

    /// The network, and the block at which the virtual chain begins.
    package var header: Recording_RecordingHeader

    /// Blocks and changes of the virtual chain in the order in which the node sent them.
    package var entries: [Recording_RecordingEntry]

    /// Puts a recording together.
    package init(header: Recording_RecordingHeader, entries: [Recording_RecordingEntry]) {
        self.header = header
        self.entries = entries
    }

    /// Reads a whole file.
    package init(contentsOf path: String) throws(RecordingError) {
        let reader = try RecordingReader(path: path)
        var entries: [Recording_RecordingEntry] = []
        while let entry = try reader.next() {
            entries.append(entry)
        }
        self.init(header: reader.header, entries: entries)
    }

    /// Writes a whole file in place of what was there.
    package func write(to path: String) throws(RecordingError) {
        let writer = try RecordingWriter(path: path, header: header)
        for entry in entries {
            try writer.append(entry)
        }
        try writer.close()
    }
}
