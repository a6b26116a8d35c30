import Foundation
import Testing

/// One page in a browser.
struct BrowserTab: Sendable {
    let browser: Browser
    let session: String

    @discardableResult
    func send(_ method: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
        try await browser.send(method, parameters, session: session)
    }

    /// Opens a page and waits until it has been read.
    func go(to url: String) async throws {
        let result = try await send("Page.navigate", ["url": url])
        try #require(result["errorText"] == nil, "\(url): \(result)")
        try await until("location.href !== 'about:blank' && document.readyState === 'complete'")
    }

    /// Light or dark, as the user's system would say.
    func prefer(_ scheme: String) async throws {
        try await send("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
    }

    /// The value of an expression, or of the promise that it is, as JSON.
    func evaluate(_ expression: String) async throws -> Any? {
        let result = try await send(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let details = result["exceptionDetails"] { throw BrowserError(description: "\(expression): \(details)") }
        return (result["result"] as? [String: Any])?["value"]
    }

    /// Returns when the expression is true; while the page is being loaded it may name what is not there yet.
    func until(_ expression: String) async throws {
        let guarded = "(() => { try { return (\(expression)) === true } catch { return false } })()"
        try await eventually("in the page: \(expression)") {
            do {
                return try await evaluate(guarded) as? Bool == true
            } catch let error as BrowserError {
                // A page that is being left takes its objects along.
                guard !browser.hasEnded else { throw error }
                return false
            }
        }
    }

    func strings(_ expression: String) async throws -> [String] {
        let value = try await evaluate(expression)
        return try #require(value as? [String], "\(expression)")
    }

    /// What the window shows as a picture, in `.build/screenshots/NAME.png` of the project.
    func screenshot(_ name: String) async throws {
        let result = try await send("Page.captureScreenshot", ["format": "png"])
        let data = try #require((result["data"] as? String).flatMap { Data(base64Encoded: $0) })
        let folder = Fixture.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(".build/screenshots")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: folder.appendingPathComponent("\(name).png"))
    }

    /// Makes the window as high as the page, so that a picture shows all of it.
    func showAll(width: Int = 1280) async throws {
        try await resize(width, 200)
        let value = try await evaluate("document.documentElement.scrollHeight")
        let height = try #require(value as? Int)
        try await resize(width, min(max(height, 200), 8000))
    }

    func resize(_ width: Int, _ height: Int, isPhone: Bool = false) async throws {
        try await send(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isPhone])
        try await until("innerWidth === \(width) || \(isPhone)")
    }

    private func events(_ method: String) -> [[String: Any]] {
        browser.events.filter { $0["method"] as? String == method && $0["sessionId"] as? String == session }
            .compactMap { $0["params"] as? [String: Any] }
    }

    /// Where the page asked for something, `data:` apart.
    var requests: [String] {
        events("Network.requestWillBeSent").compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
            .filter { !$0.hasPrefix("data:") }
    }

    /// Errors and warnings of the page's console, what it threw, and what its policy forbade.
    var complaints: [String] {
        let thrown = events("Runtime.exceptionThrown").map { "\($0["exceptionDetails"] ?? $0)" }
        let logged = events("Log.entryAdded").compactMap { $0["entry"] as? [String: Any] }
            .filter { ["error", "warning"].contains($0["level"] as? String) }
            .map { "\($0["text"] ?? $0) \($0["url"] ?? "")" }
        let said = events("Runtime.consoleAPICalled")
            .filter { ["error", "warning", "assert"].contains($0["type"] as? String) }.map { "\($0["args"] ?? $0)" }
        return thrown + logged + said
    }
}
