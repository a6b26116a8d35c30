import Logging
import Testing

@testable import KasiaPushIndexer

@Suite("Repeated log lines")
struct LogRepeatsTests {
    private func kind(_ message: String, _ level: Logger.Level = .warning) -> LogRepeats.Kind {
        LogRepeats.Kind(label: "a", level: level, message: message)
    }

    @Test("the first twenty of a window are written, the rest is counted and told once")
    func burst() {
        var repeats = LogRepeats()
        for number in 1...25 {
            #expect(repeats.decide(kind("x"), now: 1_000 + Int64(number)).isWritten == (number <= 20))
        }
        #expect(repeats.decide(kind("y"), now: 11_000).ended == [])
        // The window ends ten seconds after its first line, at whatever line comes then.
        let told = repeats.decide(kind("y"), now: 11_001)
        #expect(told.isWritten && told.ended == [LogRepeats.Decision.Ended(kind: kind("x"), count: 5)])
        let next = repeats.decide(kind("x"), now: 11_002)
        #expect(next.isWritten && next.ended.isEmpty)
    }

    @Test("a window lasts ten seconds", arguments: [(9_999, false), (10_000, true), (10_001, true)])
    func window(length: Int64, isOver: Bool) {
        var repeats = LogRepeats()
        for _ in 0..<21 { _ = repeats.decide(kind("x"), now: 0) }
        let decision = repeats.decide(kind("x"), now: length)
        #expect(decision.isWritten == isOver && decision.ended.count == (isOver ? 1 : 0))
    }

    @Test("kinds are told apart, and debug is never held back")
    func kinds() {
        var repeats = LogRepeats()
        for _ in 0..<30 {
            _ = repeats.decide(kind("x"), now: 0)
            #expect(repeats.decide(kind("x", .debug), now: 0).isWritten)
        }
        #expect(repeats.decide(kind("x", .error), now: 0).isWritten)
        #expect(repeats.decide(kind("z"), now: 0).isWritten)
        #expect(!repeats.decide(kind("x"), now: 0).isWritten)
    }

    @Test("a clock that jumps back opens a new window, and many kinds cost no memory")
    func clockAndBound() {
        var repeats = LogRepeats()
        for _ in 0..<21 { _ = repeats.decide(kind("x"), now: 1_000_000) }
        #expect(repeats.decide(kind("x"), now: 5).isWritten)
        for number in 0..<3_000 { #expect(repeats.decide(kind("\(number)"), now: 6).isWritten) }
        for _ in 0..<30 { #expect(repeats.decide(kind("beyond the bound"), now: 6).isWritten) }
    }

    @Test("the handler writes what was held back as a line of the same kind")
    func handler() {
        let lines = Lines()
        let time = Counter()
        let factory = LogHandlerFactory(
            level: .info, format: .text, output: LogOutput { lines.add($0) },
            clock: { LogTimestamp(milliseconds: time.next() < 22 ? 0 : 10_000) }, repeats: SharedLogRepeats())
        let logger = factory.logger(label: "l")
        for number in 1...23 { logger.warning("store.failed", metadata: ["n": "\(number)"]) }
        #expect(lines.all.count == 22)
        #expect(lines.all[20].hasSuffix(" warning l store.failed log.held_back=2\n"), "\(lines.all[20])")
        #expect(lines.all[21].hasSuffix(" warning l store.failed n=23\n"))
    }
}

/// Counts calls.
private final class Counter: Sendable {
    private let lines = Lines()

    func next() -> Int {
        defer { lines.add("") }
        return lines.all.count
    }
}
