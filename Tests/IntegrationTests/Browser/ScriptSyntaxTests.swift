import Foundation
import Testing

/// The scripts of the pages as a browser reads them, file by file.
@Suite(
    "Scripts of the pages", .timeLimit(.minutes(5)),
    .enabled(if: Browser.executable != nil, "chromium is not installed: deploy/install-deps.sh --tests"))
struct ScriptSyntaxTests {
    private static let folder = Fixture.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/API/Assets/Pages")

    @Test("each script is JavaScript without errors of syntax")
    func scripts() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasSuffix(".js") }.sorted()
        #expect(!names.isEmpty)
        let tab = try await Browser().open()
        var errors: [String] = []
        for name in names {
            let source = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
            #expect(source.hasPrefix("\"use strict\";\n"), "\(name)")
            if let error = try await tab.syntaxError(in: source, named: name) { errors.append(error) }
        }
        #expect(errors == [])
    }

    @Test("an error of syntax is told with its file and line")
    func broken() async throws {
        let tab = try await Browser().open()
        let complaint = try await tab.syntaxError(
            in: "\"use strict\";\nconst one = 1;\nconst two = ;\n", named: "broken.js")
        #expect(complaint == "broken.js:3:13: SyntaxError: Unexpected token ';'")
        #expect(
            try await tab.syntaxError(in: "let one = nothing.that.exists;", named: "unrun.js") == nil, "it is not run")
    }
}

extension BrowserTab {
    /// What the browser finds wrong with a script, as `FILE:LINE:COLUMN: MESSAGE`; nil if nothing is.
    ///
    /// The script is not run.
    fileprivate func syntaxError(in source: String, named name: String) async throws -> String? {
        let result = try await send(
            "Runtime.compileScript", ["expression": source, "sourceURL": name, "persistScript": false])
        guard let details = result["exceptionDetails"] as? [String: Any] else { return nil }
        let (line, column) = (details["lineNumber"] as? Int, details["columnNumber"] as? Int)
        let exception = details["exception"] as? [String: Any]
        let message = (exception?["description"] as? String)?.split(separator: "\n").first ?? "\(details)"
        return "\(name):\((line ?? -1) + 1):\((column ?? -1) + 1): \(message)"
    }
}
