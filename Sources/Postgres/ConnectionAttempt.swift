import CLibpq
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Makes a connection to one of several hosts, each within a deadline of its own.
///
/// The hosts are asked in their order, each one as soon as the one before has refused, or has kept silent for
/// `headStart`; the first that fits is taken. While one is silent, those that have refused are asked again: a standby may
/// have been promoted. So a paused host holds nobody up for long. libpq can walk a list of hosts itself, but without a
/// deadline when it does not block, and it then hangs on a paused first host.
enum ConnectionAttempt {
    /// How long a host may keep silent until another one is asked as well.
    static let headStart = Duration.milliseconds(250)

    /// The first connection that can be made, and the server's timeline if there is a history.
    static func first(
        of settings: ConnectionSettings
    ) throws(PostgresError) -> (handle: OpaquePointer, timeline: UInt64) {
        let (hosts, options) = try targets(of: settings)
        let begin = settings.history?.first ?? 0
        var waiting = hosts.indices.map { (begin + $0) % hosts.count }
        var refused: [Int] = []
        var errors: [Int: PostgresError] = [:]
        var asked: [HostAttempt] = []
        defer { asked.forEach { $0.close() } }
        var next = ContinuousClock.now
        func note(_ error: PostgresError, of host: Int) {
            errors[host] = error
            if error.kind != .deadline { refused.append(host) }
            // The next one at once, but nobody twice within the head start.
            if !waiting.isEmpty { next = .now }
        }
        while !waiting.isEmpty || asked.contains(where: { errors[$0.host] == nil }) {
            if asked.isEmpty || ContinuousClock.now >= next, !waiting.isEmpty || !refused.isEmpty {
                let host = waiting.isEmpty ? refused.removeFirst() : waiting.removeFirst()
                next = .now + headStart
                do throws(PostgresError) {
                    asked.append(try HostAttempt(host, options.merging(hosts[host]) { $1 }, settings))
                } catch {
                    note(error, of: host)
                    continue
                }
            }
            let end = asked.map(\.end).min() ?? .now
            let isLast = waiting.isEmpty && refused.isEmpty
            let ready = SocketEvents.wait(on: asked.map(\.awaited), until: isLast ? end : min(end, next))
            for (attempt, isReady) in zip(asked, ready) {
                do throws(PostgresError) {
                    guard try attempt.proceed(isReady: isReady) else { continue }
                    asked.removeAll { $0 === attempt }
                    return (attempt.handle, attempt.timeline)
                } catch {
                    attempt.close()
                    asked.removeAll { $0 === attempt }
                    note(error, of: attempt.host)
                }
            }
        }
        let inOrder = hosts.indices.compactMap { errors[(begin + $0) % hosts.count] }
        let kind = inOrder.allSatisfy { $0.kind == inOrder[0].kind } ? inOrder[0].kind : .connection
        throw PostgresError(kind, inOrder.map(\.message).joined(separator: "; "))
    }

    /// What libpq is told of each host, and of all of them.
    private static func targets(
        of settings: ConnectionSettings
    ) throws(PostgresError) -> (hosts: [[String: String]], options: [String: String]) {
        let info = try ConnectionInfo(settings.url)
        var options = info.options
        if options["target_session_attrs"] == nil { options["target_session_attrs"] = "read-write" }
        if let file = settings.passwordFile { options["password"] = try password(in: file) }
        if !settings.applicationName.isEmpty { options["application_name"] = settings.applicationName }
        options["client_encoding"] = "UTF8"
        if !settings.session.isEmpty {
            let own = settings.session.map { "-c \(escaped($0.0))=\(escaped($0.1))" }
            options["options"] = ([options["options"]].compactMap { $0 } + own).joined(separator: " ")
        }
        for key in ["host", "hostaddr", "port"] { options[key] = nil }
        return (info.hosts, options)
    }

    /// The first line of the file.
    private static func password(in file: String) throws(PostgresError) -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw PostgresError(.connection, "The password file \(file) cannot be read.")
        }
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }

    /// For `options`, where white space separates and a backslash keeps the next character as it is.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            if character == "\\" || character.isWhitespace { escaped.append("\\") }
            escaped.append(character)
        }
    }
}
