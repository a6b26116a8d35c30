import Foundation

/// The control endpoint of an apns-sandbox in a process of its own, through curl, which speaks HTTP/2 over TLS.
struct SandboxControl {
    /// A notification that the sandbox took.
    struct Notification: Decodable {
        let number: Int
        let token: String
        let collapseId: String?
        /// Milliseconds since 1970.
        let receivedAt: UInt64
    }

    private static let page = 1_000

    let origin: String
    let certificateAuthority: String

    /// Applies a script.
    func apply(_ script: String) throws { _ = try call(["--data-binary", script, origin + "/control/script"]) }

    /// Removes the rules of this name; none there is an error.
    func removeRules(named name: String) throws {
        _ = try call(["--request", "DELETE", origin + "/control/rules/\(name)"])
    }

    /// What it has taken since the notification of this number, oldest first, to the last.
    func notifications(after number: Int) throws -> [Notification] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var found: [Notification] = []
        while true {
            let last = found.last?.number ?? number
            let text = try call(["\(origin)/control/notifications?after=\(last)&limit=\(Self.page)"])
            let page = try decoder.decode([Notification].self, from: text)
            found += page
            if page.count < Self.page { return found }
        }
    }

    private func call(_ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments =
            ["--silent", "--show-error", "--fail", "--http2", "--max-time", "60", "--cacert", certificateAuthority]
            + arguments
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("The sandbox's control endpoint refuses.") }
        return text
    }
}
