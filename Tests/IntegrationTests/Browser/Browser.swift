import Foundation
import Synchronization
import Testing

/// What the browser or a page in it objected to.
struct BrowserError: Error, CustomStringConvertible {
    let description: String
}

/// A headless Chromium, driven through its DevTools protocol on a pipe.
///
/// Ends with the object; its profile is in a folder of its own.
final class Browser: Sendable {
    /// Where Debian's package puts it; nil where it is not installed.
    static let executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// How long a single answer may take on a machine with much else to do.
    private static let patience = Duration.seconds(120)

    private struct State {
        var answers: [Int: Data] = [:]
        var events: [Data] = []
        var rest = Data()
        var lastID = 0
        var hasEnded = false
    }

    private let process = Process()
    private let commands = Pipe()
    private let state = Mutex(State())
    private let profile: URL

    init() throws {
        let executable = try #require(Browser.executable)
        profile = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        // DevTools speaks on descriptors 3 and 4, which Foundation cannot hand over by itself.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", executable,
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
            "--user-data-dir=\(profile.path)", "--remote-debugging-pipe", "about:blank",
        ]
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": profile.path, "LANG": "C.UTF-8", "TZ": "UTC"]
        let answers = Pipe()
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        let handle = answers.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            while case let data = handle.availableData, !data.isEmpty { self?.take(data) }
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: profile)
    }

    /// Messages end with a zero byte; those with an id are answers, the others events.
    private func take(_ data: Data) {
        state.withLock { state in
            if data.isEmpty { state.hasEnded = true }
            state.rest.append(data)
            while let end = state.rest.firstIndex(of: 0) {
                let message = Data(state.rest[state.rest.startIndex..<end])
                state.rest = Data(state.rest[(end + 1)...])
                let object = (try? JSONSerialization.jsonObject(with: message)) as? [String: Any]
                if let id = object?["id"] as? Int { state.answers[id] = message } else { state.events.append(message) }
            }
        }
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// What the browser told by itself so far, one JSON object each.
    var events: [[String: Any]] {
        state.withLock { $0.events }.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    }

    /// Sends a command and returns its result; throws what the browser calls an error.
    @discardableResult
    func send(_ method: String, _ parameters: [String: Any] = [:], session: String? = nil) async throws -> [String: Any]
    {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        var command: [String: Any] = ["id": id, "method": method, "params": parameters]
        command["sessionId"] = session
        var message = try JSONSerialization.data(withJSONObject: command)
        message.append(0)
        try commands.fileHandleForWriting.write(contentsOf: message)
        var answer: Data?
        try await eventually("the browser answers \(method)", within: Browser.patience) {
            let hasEnded: Bool
            (answer, hasEnded) = state.withLock { ($0.answers.removeValue(forKey: id), $0.hasEnded) }
            if answer == nil, hasEnded { throw BrowserError(description: "the browser has ended") }
            return answer != nil
        }
        let bytes = try #require(answer)
        let object = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        if let error = object["error"] as? [String: Any] {
            throw BrowserError(description: "\(method): \(error["message"] ?? error)")
        }
        return object["result"] as? [String: Any] ?? [:]
    }

    /// Opens an empty tab that tells what happens in it.
    func open(size: (width: Int, height: Int) = (1280, 900)) async throws -> BrowserTab {
        let target = try await send("Target.createTarget", ["url": "about:blank"])
        let id = try #require(target["targetId"] as? String)
        let attached = try await send("Target.attachToTarget", ["targetId": id, "flatten": true])
        let session = try #require(attached["sessionId"] as? String)
        let tab = BrowserTab(browser: self, session: session)
        for domain in ["Page", "Runtime", "Network", "Log"] { try await tab.send("\(domain).enable") }
        try await tab.resize(size.width, size.height)
        return tab
    }
}
