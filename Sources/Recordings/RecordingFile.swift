import KaspaNode
import SwiftProtobuf

/// How much has been recorded.
package struct RecordingProgress: Hashable, Sendable {
    /// The blocks written.
    package var blocks = 0
    /// The changes of the virtual chain written.
    package var virtualChainChanges = 0
    /// The highest block of the recorded virtual chain, in hex; empty before the recording begins.
    package var sink = ""

    /// Nothing recorded.
    package init() {}
}

/// Owns the file, so that entries of two tasks are written in the order in which they arrive here.
actor RecordingFile {
    private let path: String
    private var writer: RecordingWriter?
    private var start = ContinuousClock.now
    /// The first fault; nothing is written after it.
    private var fault: RecordingError?
    private(set) var progress = RecordingProgress()

    init(path: String) {
        self.path = path
    }

    /// Creates the file.
    ///
    /// Entries appended before are ignored.
    func begin(_ header: Recording_RecordingHeader) throws(RecordingError) {
        writer = try RecordingWriter(path: path, header: header)
        start = .now
        progress.sink = header.startHash
    }

    /// Writes a block.
    func append(_ block: Protowire_RpcBlock) {
        guard append(.block(block)) else { return }
        progress.blocks += 1
    }

    /// Writes a change of the virtual chain.
    func append(_ change: Recording_VirtualChainChange) {
        guard append(.virtualChain(change)) else { return }
        progress.virtualChainChanges += 1
        progress.sink = change.added.last?.chainBlockHeader.hash ?? progress.sink
    }

    /// Passes buffered bytes to the operating system.
    ///
    /// Throws the first fault, if there was one.
    func flush() throws(RecordingError) {
        if let fault { throw fault }
        try writer?.flush()
    }

    /// Closes the file, if there is one.
    ///
    /// Throws the first fault.
    func close() throws(RecordingError) {
        if let fault { throw fault }
        try writer?.close()
        writer = nil
    }

    private func append(_ event: Recording_RecordingEntry.OneOf_Event) -> Bool {
        guard let writer, fault == nil else { return false }
        do throws(RecordingError) {
            try writer.append(
                .with {
                    $0.offsetMs = UInt64(max(0, (ContinuousClock.now - start) / .milliseconds(1)))
                    $0.event = event
                })
            return true
        } catch {
            fault = error
            return false
        }
    }
}
