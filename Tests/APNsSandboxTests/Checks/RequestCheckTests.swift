import FoundationEssentials
import Testing

@testable import APNsSandbox

/// A valid request with one thing changed, and the answer that this must bring.
struct FaultCase: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let reason: String?
    var change: @Sendable (inout TestRequest) -> Void

    var testDescription: String { name }

    init(_ name: String, _ status: Int, _ reason: String?, _ change: @escaping @Sendable (inout TestRequest) -> Void) {
        self.name = name
        self.status = status
        self.reason = reason
        self.change = change
    }

    /// One header set to a value, or taken away.
    static func header(_ header: String, _ value: String?, _ status: Int, _ reason: String?) -> FaultCase {
        FaultCase("\(header): \(value ?? "missing")", status, reason) { request in
            request.headers.removeAll { $0.0 == header }
            if let value { request.headers.append((header, value)) }
        }
    }

    static func path(_ path: String, _ status: Int, _ reason: String?) -> FaultCase {
        FaultCase("path \(path.prefix(30))", status, reason) { $0.path = path }
    }

    static func token(digits: Int, _ status: Int, _ reason: String?) -> FaultCase {
        FaultCase("device token of \(digits) digits", status, reason) {
            $0.path = "/3/device/" + String(repeating: "a", count: digits)
        }
    }

    static func body(_ name: String, _ body: String, _ status: Int, _ reason: String?) -> FaultCase {
        FaultCase("body \(name)", status, reason) { $0.body = Array(body.utf8) }
    }

    static func body(bytes: Int, _ status: Int, _ reason: String?) -> FaultCase {
        let frame = #"{"aps":{},"x":""}"#.utf8.count
        return .body(
            "of \(bytes) bytes", #"{"aps":{},"x":""# + String(repeating: "x", count: bytes - frame) + #""}"#, status,
            reason)
    }

    /// A VoIP push, its topic second among the headers, with one thing changed.
    static func voip(
        _ name: String, _ status: Int, _ reason: String?, _ change: @escaping @Sendable (inout TestRequest) -> Void
    ) -> FaultCase {
        FaultCase("voip with \(name)", status, reason) { request in
            request.headers[1].1 = SandboxFixture.topic + ".voip"
            request.headers[2].1 = "voip"
            request.body = Array(#" {"call_id":"x"}"#.utf8)
            change(&request)
        }
    }

    static func voipBody(_ bytes: Int) -> [UInt8] {
        Array((#"{"x":""# + String(repeating: "x", count: bytes - 8) + #""}"#).utf8)
    }

    static let table: [FaultCase] = [
        FaultCase("nothing wrong", 200, nil) { _ in },
        FaultCase("method GET", 405, "MethodNotAllowed") { $0.method = "GET" },
        FaultCase("method PUT on a bad path", 405, "MethodNotAllowed") { ($0.method, $0.path) = ("PUT", "/x") },
        .path("/", 404, "BadPath"),
        .path("/3/devices/abc", 404, "BadPath"),
        .path("/4/device/\(SandboxFixture.deviceToken)", 404, "BadPath"),
        .path("/3/device/\(SandboxFixture.deviceToken)/", 404, "BadPath"),
        .path("/3/device/", 400, "MissingDeviceToken"),
        .path("/3/device", 400, "MissingDeviceToken"),
        .path("/3/device/\(String(repeating: "g", count: 64))", 400, "BadDeviceToken"),
        .path("/3/device/\(SandboxFixture.deviceToken)?x=1", 400, "BadDeviceToken"),
        .path("/3/device/\(SandboxFixture.deviceToken.uppercased())", 200, nil),
        .token(digits: 62, 400, "BadDeviceToken"), .token(digits: 63, 400, "BadDeviceToken"),
        .token(digits: 64, 200, nil), .token(digits: 65, 400, "BadDeviceToken"), .token(digits: 66, 200, nil),
        .token(digits: 510, 200, nil), .token(digits: 511, 400, "BadDeviceToken"), .token(digits: 512, 200, nil),
        .token(digits: 513, 400, "BadDeviceToken"), .token(digits: 514, 400, "BadDeviceToken"),
        .header("authorization", nil, 403, "MissingProviderToken"),
        .header("authorization", "bearer", 403, "MissingProviderToken"),
        .header("authorization", "basic abc", 403, "MissingProviderToken"),
        .header("authorization", "bearer abc", 403, "InvalidProviderToken"),
        .header("authorization", "bearer a.b.c", 403, "InvalidProviderToken"),
        .header("authorization", "bearer ...", 403, "InvalidProviderToken"),
        .header("apns-topic", nil, 400, "MissingTopic"),
        .header("apns-topic", "", 400, "MissingTopic"),
        .header("apns-topic", "org example", 400, "BadTopic"),
        .header("apns-topic", "org.example.other", 400, "TopicDisallowed"),
        .header("apns-push-type", nil, 400, "InvalidPushType"),
        .header("apns-push-type", "Alert", 400, "InvalidPushType"),
        .header("apns-push-type", "background", 200, nil),
        .header("apns-push-type", "voip", 400, "InvalidPushType"),
        .header("apns-topic", "\(SandboxFixture.topic).voip", 400, "InvalidPushType"),
        .voip("nothing wrong", 200, nil) { _ in },
        .voip("a topic of another app", 400, "TopicDisallowed") { $0.headers[1].1 = "org.example.other.voip" },
        .voip("no topic but the ending", 400, "TopicDisallowed") { $0.headers[1].1 = ".voip" },
        .voip("a body that is no JSON", 400, "BadPayload") { $0.body = Array("{".utf8) },
        .voip("a body that is an array", 400, "BadPayload") { $0.body = Array("[{}]".utf8) },
        .voip("no body", 400, "PayloadEmpty") { $0.body = [] },
        .voip("5119 bytes", 200, nil) { $0.body = voipBody(5119) },
        .voip("5120 bytes", 200, nil) { $0.body = voipBody(5120) },
        .voip("5121 bytes", 413, "PayloadTooLarge") { $0.body = voipBody(5121) },
        .header("apns-priority", "10", 200, nil), .header("apns-priority", "5", 200, nil),
        .header("apns-priority", "1", 200, nil), .header("apns-priority", "0", 400, "BadPriority"),
        .header("apns-priority", "7", 400, "BadPriority"), .header("apns-priority", "11", 400, "BadPriority"),
        .header("apns-priority", "high", 400, "BadPriority"),
        .header("apns-expiration", "0", 200, nil), .header("apns-expiration", "1800000000", 200, nil),
        .header("apns-expiration", "18446744073709551615", 200, nil),
        .header("apns-expiration", "18446744073709551616", 400, "BadExpirationDate"),
        .header("apns-expiration", "-1", 400, "BadExpirationDate"),
        .header("apns-expiration", "+1", 400, "BadExpirationDate"),
        .header("apns-expiration", "1.5", 400, "BadExpirationDate"),
        .header("apns-expiration", "", 400, "BadExpirationDate"),
        .header("apns-id", "123e4567-e89b-12d3-a456-42661417400a", 200, nil),
        .header("apns-id", "123E4567-E89B-12D3-A456-42661417400A", 400, "BadMessageId"),
        .header("apns-id", "123e4567e89b12d3a45642661417400a", 400, "BadMessageId"),
        .header("apns-id", "123e4567-e89b-12d3-a456-42661417400", 400, "BadMessageId"),
        .header("apns-id", "123e4567-e89b-12d3-a456-42661417400aa", 400, "BadMessageId"),
        .header("apns-id", "123e4567-e89b-12d3-a456-42661417400g", 400, "BadMessageId"),
        .header("apns-collapse-id", String(repeating: "c", count: 63), 200, nil),
        .header("apns-collapse-id", String(repeating: "c", count: 64), 200, nil),
        .header("apns-collapse-id", String(repeating: "c", count: 65), 400, "BadCollapseId"),
        FaultCase("topic twice", 400, "DuplicateHeaders") { $0.headers.append(("apns-topic", SandboxFixture.topic)) },
        FaultCase("priority twice", 400, "DuplicateHeaders") {
            $0.headers += [("apns-priority", "10"), ("apns-priority", "10")]
        },
        FaultCase("a header of no interest twice", 200, nil) { $0.headers += [("x-a", "1"), ("x-a", "1")] },
        .body("empty", "", 400, "PayloadEmpty"),
        .body(bytes: 4095, 200, nil), .body(bytes: 4096, 200, nil), .body(bytes: 4097, 413, "PayloadTooLarge"),
        .body(bytes: 60_000, 413, "PayloadTooLarge"), .body(bytes: 300_000, 413, "PayloadTooLarge"),
        .body("that is no JSON", "{aps", 400, "BadPayload"),
        .body("that is an array", "[]", 400, "BadPayload"),
        .body("without aps", #"{"kasia":{}}"#, 400, "BadPayload"),
        .body("with an aps that is a text", #"{"aps":"x"}"#, 400, "BadPayload"),
        .body("with aps at another level", #"{"a":{"aps":{}}}"#, 400, "BadPayload"),
    ]

    /// Two faults at once: the first in Apple's order is named.
    static let order: [FaultCase] = [
        FaultCase("token before topic", 403, "MissingProviderToken") { $0.headers = [] },
        FaultCase("topic before device token", 400, "MissingTopic") { request in
            request.headers.removeAll { $0.0 == "apns-topic" }
            request.path = "/3/device/x"
        },
        FaultCase("push type before priority", 400, "InvalidPushType") { request in
            request.headers.removeAll { $0.0 == "apns-push-type" }
            request.headers.append(("apns-priority", "3"))
        },
        FaultCase("device token before body", 400, "BadDeviceToken") { request in
            request.path = "/3/device/x"
            request.body = []
        },
    ]
}

@Suite("A request's faults")
struct RequestCheckTests {
    @Test("are answered with Apple's status and reason", .timeLimit(.minutes(5)), arguments: FaultCase.table)
    func answersAsApple(_ fault: FaultCase) async throws {
        try await expectAnswer(to: fault)
    }

    @Test("are named in Apple's order", .timeLimit(.minutes(5)), arguments: FaultCase.order)
    func namesFirstFault(_ fault: FaultCase) async throws {
        try await expectAnswer(to: fault)
    }

    private func expectAnswer(to fault: FaultCase) async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            var request = fixture.push()
            fault.change(&request)
            let response = try await connection.send(request)
            #expect(response.status == fault.status)
            #expect(response.reason == fault.reason)
            #expect(response.headers["apns-id"] != nil)
            let entry = try #require(fixture.sandbox.requests.first)
            #expect(entry.status == fault.status && entry.reason == fault.reason)
            #expect(fixture.sandbox.notifications.count == (fault.status == 200 ? 1 : 0))
            // The connection has survived whatever it was.
            let next = try await connection.send(fixture.push())
            #expect(next.status == 200)
        }
    }

    @Test("do not include any topic when none is configured", .timeLimit(.minutes(5)))
    func allowsEveryTopic() async throws {
        try await withSandbox({ $0.topics = [] }) { fixture in
            var request = fixture.push()
            request.headers[1].1 = "org.example.anything-else_2"
            let response = try await fixture.connect().send(request)
            #expect(response.status == 200)
        }
    }

    @Test("leave what is right recorded field by field", .timeLimit(.minutes(5)))
    func recordsFields() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            let id = "123e4567-e89b-12d3-a456-42661417400a"
            var request = fixture.push(id: id)
            request.headers += [
                ("apns-priority", "10"), ("apns-expiration", "1800086400"), ("apns-collapse-id", "abc"),
            ]
            let response = try await connection.send(request)
            #expect(response == TestResponse(status: 200, headers: [":status": "200", "apns-id": id]))
            let entry = try #require(fixture.sandbox.notifications.first)
            let expected = ReceivedNotification(
                number: 1, token: SandboxFixture.deviceToken, id: id, collapseID: "abc", expiration: 1_800_086_400,
                priority: 10, pushType: "alert", topic: SandboxFixture.topic, body: SandboxFixture.payload,
                bodyLength: SandboxFixture.payload.count, receivedAt: fixture.clock.now, connection: 1, stream: 1,
                status: 200, reason: nil, ending: .answered, isAccepted: true)
            #expect(entry == expected)
        }
    }
}
