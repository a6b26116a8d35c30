@testable import HTTP2Client
import RecordedLogs
import Testing

@testable import WebPush

@Suite("UnifiedPush", .timeLimit(.minutes(5)))
struct UnifiedPushCheckTests {
    private let services = ScriptedOrigins()

    private func carrier() throws -> WebPushCarrier {
        try WebPushCarrier(
            configuration: WebPushConfiguration(
                key: .make(), subject: "mailto:push@example.org",
                allowedOrigins: try AllowedOrigins(["https://push.example"])),
            clock: ManualClock().machine, logger: RecordedLogs().logger, connect: services.connect)
    }

    @Test(
        "an endpoint is a distributor's if it says so",
        arguments: [
            (#"{"unifiedpush":{"version":1}}"#, true), (#" {"a":[],"unifiedpush":{"b":2,"version":1}} "#, true),
            (#"{"unifiedpush":{"version":2}}"#, false), (#"{"unifiedpush":{"version":"1"}}"#, false),
            (#"{"unifiedpush":{}}"#, false), (#"{"unifiedpush":1}"#, false),
            (#"[{"unifiedpush":{"version":1}}]"#, false),
            ("{}", false), ("", false), ("<html>", false),
        ])
    func bodies(body: String, isYes: Bool) async throws {
        services.set { _ in .status(200, body: body) }
        let answer = await (try carrier()).checkUnifiedPush("https://push.example/UP?a=b")
        #expect(
            answer == (isYes ? .yes : .no(#"did not answer {"unifiedpush":{"version":1}} to a GET"#)))
        let sent = try #require(services.sent.first)
        #expect(sent.request.method == .get && sent.request.path == "/UP?a=b" && sent.request.body.isEmpty)
        #expect(sent.shared.fields.isEmpty && services.made.first?.addresses == .publicOnly)
    }

    @Test("an answer has at most 4 KiB", arguments: [4_095, 4_096, 4_097])
    func size(count: Int) async throws {
        let text = #"{"unifiedpush":{"version":1}}"#
        services.set { _ in .status(200, body: text + String(repeating: " ", count: count - text.utf8.count)) }
        #expect((await (try carrier()).checkUnifiedPush("https://push.example/UP") == .yes) == (count <= 4_096))
    }

    @Test("any other end is no, with its cause")
    func others() async throws {
        let carrier = try carrier()
        for (ending, words) in [
            (OriginSender.Ending.status(404), "answered HTTP 404 to a GET"),
            (.status(302), "answered HTTP 302 to a GET"),
            (.answered(HTTPAnswer(status: 200), isComplete: false), "did not answer in full"),
            (
                .failed(.addressRefused), "could not be asked: the name leads to an address that is not public"
            ), (.failed(.timeout), "could not be asked: timed out"), (.abandoned, "did not answer in time"),
            (.stopped, "did not answer in time"),
        ] {
            services.set { _ in ending }
            #expect(await carrier.checkUnifiedPush("https://push.example/UP") == .no(words))
        }
    }

    @Test("an endpoint that is not allowed is not asked")
    func notAllowed() async throws {
        let carrier = try carrier()
        #expect(
            await carrier.checkUnifiedPush("https://other.example/UP")
                == .no("is at none of the push services that this server allows"))
        #expect(await carrier.checkUnifiedPush("ftp://push.example/UP") == .no("must be an https URL"))
        #expect(services.sent.isEmpty && services.made.isEmpty)
    }

    @Test("at most so many are asked at once")
    func bound() async throws {
        let carrier = try carrier()
        services.set { _ in .status(200, body: #"{"unifiedpush":{"version":1}}"#) }
        services.hold()
        await withTaskGroup(of: UnifiedPushAnswer.self) { group in
            for _ in 0..<WebPushCarrier.maximumChecks {
                group.addTask { await carrier.checkUnifiedPush("https://push.example/UP") }
            }
            while services.sent.count < WebPushCarrier.maximumChecks { await Task.yield() }
            #expect(
                await carrier.checkUnifiedPush("https://push.example/UP")
                    == .no("could not be asked: too many are being asked now"))
            services.release()
            for await answer in group { #expect(answer == .yes) }
        }
        let running = Task { try await carrier.run() }
        while services.stopped.count < WebPushCarrier.maximumChecks { await Task.yield() }
        #expect(await carrier.checkUnifiedPush("https://push.example/UP") == .yes)
        running.cancel()
        try await running.value
    }
}
