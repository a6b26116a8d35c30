import APNsSandbox
import FoundationEssentials
import Logging
import Synchronization

/// A clock that stands still until it is moved.
final class ManualClock: Sendable {
    private let time: Mutex<Date>

    init(_ start: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        time = Mutex(start)
    }

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: Double) {
        time.withLock { $0 += seconds }
    }
}

/// A running sandbox with credentials, a provider token and requests that it accepts.
struct SandboxFixture: Sendable {
    static let deviceToken = String(repeating: "0123456789abcdef", count: 4)
    static let topic = "org.example.kasia"
    static let payload = Array(#"{"aps":{"alert":{"title":"New Message"}}}"#.utf8)

    let sandbox: APNsSandbox
    let clock: ManualClock
    let credentials: SandboxCredentials
    let providerToken: String

    func connect(to environment: SandboxEnvironment = .production) async throws -> TestConnection {
        try await TestConnection.open(
            port: sandbox.boundPort(of: environment), trusting: sandbox.certificateAuthorityPEM)
    }

    /// A request without a fault.
    func push(
        to token: String = deviceToken, id: String? = nil, providerToken: String? = nil, body: [UInt8] = payload
    ) -> TestRequest {
        var headers = [
            ("authorization", "bearer \(providerToken ?? self.providerToken)"),
            ("apns-topic", Self.topic), ("apns-push-type", "alert"),
        ]
        if let id { headers.append(("apns-id", id)) }
        return TestRequest(path: "/3/device/\(token)", headers: headers, body: body)
    }

    func control(_ method: String, _ path: String, _ body: String = "") -> TestRequest {
        TestRequest(method: method, path: path, body: Array(body.utf8))
    }
}

/// Runs `body` against a sandbox on a free port, and stops it.
func withSandbox(
    _ configure: (inout SandboxConfiguration) -> Void = { _ in },
    _ body: (SandboxFixture) async throws -> Void
) async throws {
    let clock = ManualClock()
    let credentials = SandboxCredentials.generate()
    var configuration = SandboxConfiguration(credentials: credentials, topics: [SandboxFixture.topic])
    configuration.now = { clock.now }
    configuration.drainTimeout = .seconds(1)
    configure(&configuration)
    let sandbox = try APNsSandbox(configuration: configuration, logger: Logger(label: "test"))
    try await sandbox.start()
    let fixture = SandboxFixture(
        sandbox: sandbox, clock: clock, credentials: credentials,
        providerToken: try await credentials.providerToken(issuedAt: clock.now))
    do {
        try await body(fixture)
    } catch {
        await sandbox.stop()
        throw error
    }
    await sandbox.stop()
}

extension TestResponse {
    /// The reason of an error answer.
    var reason: String? {
        guard let start = body.firstRange(of: #""reason":""#)?.upperBound else { return nil }
        return String(body[start...].prefix { $0 != "\"" })
    }
}
