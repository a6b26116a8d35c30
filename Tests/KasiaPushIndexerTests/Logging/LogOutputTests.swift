import Dispatch
import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("LogOutput")
struct LogOutputTests {
    @Test("lines of many writers arrive whole, even those that a pipe takes in parts", .timeLimit(.minutes(5)))
    func wholeLines() async {
        let lines = (0..<8).map { String(repeating: Character("\($0)"), count: 200_000) + "\n" }
        // Reading and writing block, so neither may hold a thread of the cooperative pool.
        let received = await withCheckedContinuation { continuation in
            let pipe = Pipe()
            Thread.detachNewThread {
                continuation.resume(returning: pipe.fileHandleForReading.readDataToEndOfFile())
            }
            Thread.detachNewThread {
                let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
                DispatchQueue.concurrentPerform(iterations: lines.count) { output.write(lines[$0]) }
                try? pipe.fileHandleForWriting.close()
            }
        }
        let text = String(decoding: received, as: UTF8.self)
        #expect(text.split(separator: "\n").map { $0 + "\n" }.sorted() == lines)
    }

    @Test("a line that cannot be written is dropped")
    func closedDescriptor() {
        LogOutput(descriptor: -1).write("nobody reads this\n")
    }
}
