import Dispatch
import Foundation

/// What somebody types, or another program writes.
enum StandardInput {
    /// Returns at the next line, or at the end of the input; false when cancelled before.
    @Sendable static func line() async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let source = DispatchSource.makeReadSource(fileDescriptor: FileHandle.standardInput.fileDescriptor)
        source.setEventHandler {
            var byte: UInt8 = 0
            // Byte by byte, so that nothing behind the line is taken.
            let count = read(FileHandle.standardInput.fileDescriptor, &byte, 1)
            if count <= 0 || byte == UInt8(ascii: "\n") { end.yield() }
        }
        source.resume()
        defer { source.cancel() }
        for await _ in ends { return true }
        return false
    }
}
