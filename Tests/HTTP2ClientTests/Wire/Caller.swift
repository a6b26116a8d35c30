import HTTP2Client
import Logging
import RecordedLogs
import Synchronization
import TestCertificates
import Testing

/// A pool of one connection, the server that it talks to, and what became of the requests.
final class Caller: Sendable {
    /// How a request ended, in a form to compare.
    enum Ending: Hashable, Sendable {
        case answered(Int)
        case cutShort(Int)
        case failed(TransportFailure)
        case handedBack
        case abandoned
    }

    private struct State {
        var endings: [Ending?] = []
        var answers: [HTTPAnswer?] = []
    }

    static let shared = SharedFields(
        [HeaderField("authorization", "bearer eyJ"), HeaderField("apns-topic", "org.example.messenger")], generation: 1)

    let server: FrameServer
    let pool: ConnectionPool
    let logs = RecordedLogs()
    private let state = Mutex(State())

    /// Runs `body` with a server of this script, and ends both afterwards.
    static func run(
        _ script: FrameServer.Script = FrameServer.Script(), streams: Int = 500, certificate: TestCertificate? = nil,
        settings change: (inout HTTP2Settings) -> Void = { _ in }, _ body: (Caller) async throws -> Void
    ) async throws {
        let certificate = try certificate ?? TestCertificate("server")
        let server = try FrameServer(script, certificate: certificate.certificatePath, key: certificate.keyPath)
        var settings = HTTP2Settings(
            service: "Test", origin: "https://localhost:\(server.port)",
            certificateAuthorityPath: certificate.certificatePath, streams: streams,
            answerFields: ["apns-id", "retry-after"])
        change(&settings)
        let caller = Caller(server, settings)
        do {
            try await body(caller)
        } catch {
            await caller.end()
            throw error
        }
        await caller.end()
    }

    private init(_ server: FrameServer, _ settings: HTTP2Settings) {
        self.server = server
        pool = ConnectionPool(connections: 1, settings: settings, logger: logs.logger)
    }

    private func end() async {
        pool.close()
        pool.abandon()
        await pool.ended()
        server.stop()
        #expect(!endings.contains(nil), "every request is told how it ended")
    }

    /// How each request ended, in the order in which they were sent; nil: not yet.
    var endings: [Ending?] { state.withLock { $0.endings } }
    var answers: [HTTPAnswer?] { state.withLock { $0.answers } }

    /// Sends requests whose bodies have so many bytes; returns at once.
    func submit(
        _ count: Int, bytes: Int = 100, sendBy: Duration = .seconds(120), from: SharedFields = shared,
        method: HTTPRequest.Method = .post
    ) {
        for _ in 0..<count {
            let number = state.withLock { state in
                state.endings.append(nil)
                state.answers.append(nil)
                return state.endings.count - 1
            }
            var request = HTTPRequest(
                path: "/3/device/\(number)", fields: [HeaderField("apns-id", "id-\(number)")], body: Self.body(bytes))
            request.method = method
            pool.submit(
                Exchange(request: request, shared: from, sendBy: ContinuousClock.now + sendBy) { [self] in
                    ended(number, $0.ending)
                })
        }
    }

    /// A connection carries one request until it has had a success: the one before all others.
    func prove() async throws {
        submit(1)
        try await until { self.endings[0] == .answered(200) }
    }

    static func body(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) } }

    private func ended(_ number: Int, _ ending: Exchange.Ending) {
        let (ending, answer): (Ending, HTTPAnswer?) =
            switch ending {
            case .answered(let answer, true): (.answered(answer.status), answer)
            case .answered(let answer, false): (.cutShort(answer.status), answer)
            case .failed(let failure): (.failed(failure), nil)
            case .handedBack: (.handedBack, nil)
            case .abandoned: (.abandoned, nil)
            }
        state.withLock { state in
            if state.endings[number] != nil { Issue.record("request \(number) ended twice") }
            state.endings[number] = ending
            state.answers[number] = answer
        }
    }

    /// Waits until the condition holds; the suite's time limit bounds it.
    func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Waits until all have ended.
    func untilAllEnded() async throws { try await until { !endings.contains(nil) } }

    /// How many ended in each way.
    var counts: [Ending: Int] { endings.reduce(into: [:]) { if let ending = $1 { $0[ending, default: 0] += 1 } } }
}
