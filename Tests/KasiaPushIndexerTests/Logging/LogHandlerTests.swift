import Foundation
import Logging
import Synchronization
import Testing

@testable import KasiaPushIndexer

@Suite("IndexerLogHandler")
struct LogHandlerTests {
    /// Collects what would be written.
    final class Collector: Sendable {
        private let writes = Mutex<[String]>([])
        var lines: [String] { writes.withLock { $0 } }
        var output: LogOutput { LogOutput { line in self.writes.withLock { $0.append(line) } } }
    }

    let collector = Collector()

    private func logger(_ format: LogFormat, level: Logger.Level = .info, label: String = "push") -> Logger {
        LogHandlerFactory(
            level: level, format: format, output: collector.output,
            clock: { LogTimestamp(milliseconds: 1_704_067_200_007) }
        ).logger(label: label)
    }

    @Test("a line bears one id of a request: the one that its answer has")
    func requestID() {
        var logger = logger(.text)
        logger[metadataKey: "hb.request.id"] = "7"
        logger.info("early")
        logger[metadataKey: "request.id"] = "a1"
        logger.info("routed")
        #expect(collector.lines.map { $0.hasSuffix(" early hb.request.id=7\n") } == [true, false])
        #expect(collector.lines.last?.hasSuffix(" routed request.id=a1\n") == true)
    }

    @Test("text: time, level, label, message and sorted metadata, quoted where needed")
    func text() {
        logger(.text).info(
            "delivery done",
            metadata: [
                "b": "two words", "a": "1", "empty": "", "quote": "say \"hi\"", "equals": "a=b", "path": "c:\\x",
                "list": ["x", "y"], "map": ["k": "v"], "number": "\(42)", "odd key": "z",
            ])
        #expect(
            collector.lines == [
                "2024-01-01T00:00:00.007Z info push delivery done a=1 b=\"two words\" empty=\"\" equals=\"a=b\" "
                    + #"list="[\"x\",\"y\"]" map="{\"k\":\"v\"}" number=42 "odd key"=z path="c:\\x" quote="say \"hi\"""#
                    + "\n"
            ])
    }

    @Test("json: one object a line, with metadata of its own")
    func json() throws {
        logger(.json).error("failed", metadata: ["b": "\"\n", "a": ["x", ["k": "v"]]])
        logger(.json).info("plain")
        #expect(
            collector.lines == [
                #"{"time":"2024-01-01T00:00:00.007Z","level":"error","label":"push","message":"failed","#
                    + #""metadata":{"a":["x",{"k":"v"}],"b":"\"\n"}}"# + "\n",
                #"{"time":"2024-01-01T00:00:00.007Z","level":"info","label":"push","message":"plain"}"# + "\n",
            ])
        let object = try JSONSerialization.jsonObject(with: Data(collector.lines[0].utf8)) as? [String: Any]
        #expect((object?["metadata"] as? [String: Any])?["b"] as? String == "\"\n")
    }

    @Test(
        "no text from outside can forge a line or move the cursor", arguments: LogFormat.allCases,
        [
            "x\n2024-01-01T00:00:00.000Z info push forged", "\r\u{1b}[2J", "\u{85}\u{2028}\u{2029}", "\u{202e}\u{2066}",
            "\u{0}",
            "\u{9b}31m",
        ])
    func forging(format: LogFormat, hostile: String) {
        let logger = logger(format, label: "l\(hostile)")
        logger.info(
            "m\(hostile)", metadata: ["k\(hostile)": "v\(hostile)", "list": ["\(hostile)"], "map": ["\(hostile)": "1"]])
        #expect(collector.lines.count == 1)
        let line = collector.lines[0]
        #expect(line.hasSuffix("\n"))
        let body = line.dropLast().unicodeScalars
        #expect(
            body.allSatisfy {
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            })
    }

    @Test("an escaped line break cannot be confused with a written backslash n")
    func unambiguous() {
        logger(.text).info("a\\nb")
        logger(.text).info("a\nb")
        #expect(collector.lines[0].hasSuffix(#" a\\nb"# + "\n"))
        #expect(collector.lines[1].hasSuffix(#" a\nb"# + "\n"))
    }

    @Test(
        "long messages and values are cut at 4096 bytes", arguments: LogFormat.allCases,
        [4_095, 4_096, 4_097, 1_000_000])
    func cutting(format: LogFormat, length: Int) {
        logger(format).info(
            "\(String(repeating: "m", count: length))", metadata: ["k": "\(String(repeating: "Q", count: length))"])
        let line = collector.lines[0]
        #expect(line.filter { $0 == "Q" }.count == min(length, 4_096))
        #expect(line.filter { $0 == "…" }.count == (length > 4_096 ? 2 : 0))
    }

    @Test("only events of the level and above are written", arguments: Logger.Level.allCases)
    func levels(level: Logger.Level) {
        let logger = logger(.text, level: level)
        for other in Logger.Level.allCases { logger.log(level: other, "m") }
        #expect(collector.lines.count == Logger.Level.allCases.filter { $0 >= level }.count)
    }

    @Test("the event's metadata wins over the provider's, that over the logger's; an error is metadata")
    func metadataOrder() {
        struct Broken: Error, CustomStringConvertible { var description: String { "it broke" } }
        let factory = LogHandlerFactory(
            level: .info, format: .text, output: collector.output, clock: { LogTimestamp(milliseconds: 0) })
        let provider = Logger.MetadataProvider { ["a": "provider", "b": "provider", "c": "provider"] }
        var logger = Logger(label: "l") { factory.handler(label: $0, metadataProvider: provider) }
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "d"] = "logger"
        logger.info("m", error: Broken(), metadata: ["b": "event"])
        #expect(
            collector.lines == [
                "1970-01-01T00:00:00.000Z info l m a=provider b=event c=provider d=logger error=\"it broke\"\n"
            ])
    }

    @Test(
        "a time stamp is RFC 3339 in UTC",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (1_767_225_599_999, "2025-12-31T23:59:59.999Z"),
        ])
    func timestamps(milliseconds: Int64, text: String) {
        #expect(LogTimestamp(milliseconds: milliseconds).description == text)
    }

    @Test("time stamps agree with Foundation's over four hundred years")
    func timestampsAgree() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for day in stride(from: -50_000, through: 100_000, by: 37) {
            let milliseconds = Int64(day) * 86_400_000 + 45_296_000
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            #expect(LogTimestamp(milliseconds: milliseconds).description == date.formatted(style))
        }
    }

    @Test("the system's clock is near Foundation's")
    func now() {
        let before = Date().timeIntervalSince1970 * 1_000
        let now = Double(LogTimestamp.now().milliseconds)
        #expect(now >= before - 1 && now <= Date().timeIntervalSince1970 * 1_000)
    }
}
