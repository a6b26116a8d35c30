import HTTP2Client
import Testing

@testable import FCM

@Suite("FCM's answers")
struct FCMAnswerTests {
    private func read(_ status: Int, _ body: String, retryAfter: String? = nil) -> FCMAnswer {
        FCMAnswer(
            HTTPAnswer(
                status: status, body: Array(body.utf8),
                fields: retryAfter.map { [HeaderField("retry-after", $0)] } ?? []))
    }

    @Test("have FCM's own code before the status")
    func code() {
        let body = """
            {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":[
            {"@type":"type.googleapis.com/google.rpc.Help","errorCode":"HELP"},
            {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}
            """
        #expect(read(404, body) == FCMAnswer(status: 404, code: "UNREGISTERED"))
        #expect(read(404, body).reason == .unregistered)
        #expect(read(403, #"{"error":{"status":"PERMISSION_DENIED"}}"#).reason == .permissionDenied)
    }

    @Test(
        "that are not as expected have no code",
        arguments: [
            "", "<html>", "[]", "{}", #"{"error":"NOT_FOUND"}"#, #"{"error":{"status":7}}"#,
            #"{"error":{"status":"","details":{}}}"#, #"{"error":{"status":"!?"}}"#,
            #"{"error":{"status":"A","status":"B"}}"#, String(repeating: "[", count: 9_000),
        ])
    func malformed(body: String) {
        #expect(read(400, body) == FCMAnswer(status: 400))
        #expect(read(400, body).reasonLabel == "Unknown")
        #expect(read(400, body).text == "HTTP 400")
    }

    @Test("are kept short, and without what may not stand in a log")
    func bounded() {
        let answer = read(418, #"{"error":{"status":"TEA\u001b\nPOT \#(String(repeating: "x", count: 99))"}}"#)
        #expect(answer.code == "TEAPOT" + String(repeating: "x", count: 58))
        #expect(answer.reasonLabel == "Unknown")
        #expect(read(418, #"{"error":{"status":"TEAPOT"}}"#).text == "HTTP 418 TEAPOT")
    }

    @Test("with a known code and another status are judged by the status, and keep their label")
    func mismatch() {
        let answer = read(500, #"{"error":{"status":"INVALID_ARGUMENT"}}"#)
        #expect(answer.reason == nil)
        #expect(answer.reasonLabel == "INVALID_ARGUMENT")
        #expect(answer.text == "HTTP 500 INVALID_ARGUMENT")
    }

    @Test(
        "name the token when a violation or the message does",
        arguments: [
            (#""message":"The registration token is not a valid FCM registration token""#, true),
            (#""message":"Invalid registration token""#, true),
            (#""message":"x","details":[{"fieldViolations":[{"field":"message.token","description":"y"}]}]"#, true),
            (#""message":"x","details":[{"fieldViolations":[{"field":"message.data[0].value"}]}]"#, false),
            (#""message":"Request contains an invalid argument.""#, false), (#""message":7,"details":7"#, false),
        ])
    func token(members: String, isNamed: Bool) {
        #expect(read(400, #"{"error":{"status":"INVALID_ARGUMENT",\#(members)}}"#).namesToken == isNamed)
    }

    @Test(
        "name the device when its own quota is used up",
        arguments: [
            (#""message":"Device message rate exceeded""#, true),
            (
                #""message":"Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service 'fcm.googleapis.com' for consumer 'project_number:1'.""#,
                false
            ),
            (#""details":[{"violations":[{"subject":"device:abc","description":"x"}]}]"#, true),
            (#""details":[{"violations":[{"subject":"project:1","description":"Message rate"}]}]"#, false),
            (#""details":[{"violations":[{"subject":"x","description":"the rate of this Device"}]}]"#, true),
            (#""details":[{"fieldViolations":[{"field":"message.token"}]}]"#, true),
        ])
    func device(members: String, isNamed: Bool) {
        #expect(read(429, #"{"error":{"status":"RESOURCE_EXHAUSTED",\#(members)}}"#).namesDevice == isNamed)
    }

    @Test("have the time that Google names")
    func retryAfter() {
        #expect(read(503, "", retryAfter: "7").retryAfter == .seconds(7))
        #expect(read(503, "", retryAfter: "soon").retryAfter == nil)
    }

    @Test("of which only so many details are looked at")
    func details() {
        func body(_ count: Int) -> String {
            let others = [String](repeating: "{}", count: count)
            let own = #"{"@type":"google.firebase.fcm.v1.FcmError","errorCode":"INTERNAL"}"#
            return #"{"error":{"details":[\#((others + [own]).joined(separator: ","))]}}"#
        }
        #expect(read(500, body(15)).code == "INTERNAL")
        #expect(read(500, body(16)).code == nil)
    }
}
