import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("The demo's terminal", .timeLimit(.minutes(5)))
struct DemoTerminalTests {
    @Test("writes whole lines, and tells when nobody reads them any more")
    func closed() async throws {
        let pipe = Pipe()
        let terminal = DemoTerminal(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        terminal.say("one\ntwo")
        #expect(pipe.fileHandleForReading.availableData == Data("one\ntwo\n".utf8))
        try pipe.fileHandleForReading.close()
        terminal.say("three")
        await terminal.closed()
    }

    @Test("waits for as long as somebody reads, until it is cancelled")
    func open() async throws {
        let pipe = Pipe()
        let terminal = DemoTerminal(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let waiting = Task { await terminal.closed() }
        terminal.say("one")
        waiting.cancel()
        await waiting.value
        try pipe.fileHandleForReading.close()
    }
}
