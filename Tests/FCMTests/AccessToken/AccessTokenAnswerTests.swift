import HTTP2Client
import Testing

@testable import FCM

@Suite("Answers of the token endpoint")
struct AccessTokenAnswerTests {
    @Test(
        "have a lifetime that is believed between a minute and a day",
        arguments: [
            ("59", 59 + 1), ("60", 60), ("61", 61), ("3599", 3_599), ("86399", 86_399), ("86400", 86_400),
            ("86401", 86_400), ("18446744073709551615", 86_400), ("0", 60), (#""3600""#, 3_600),
        ])
    func lifetime(written: String, seconds: Int) throws {
        let answer = try AccessTokenAnswer(.answer(200, #"{"access_token":"ya29.a","expires_in":\#(written)}"#))
        #expect(answer.token.value == "ya29.a")
        #expect(answer.lifetime == .seconds(seconds))
    }

    @Test(
        "that are no token are passing trouble",
        arguments: [
            "", "{", "[]", #"{"access_token":"a"}"#, #"{"expires_in":3600}"#,
            #"{"access_token":"","expires_in":3600}"#, #"{"access_token":7,"expires_in":3600}"#,
            #"{"access_token":"a b","expires_in":3600}"#, #"{"access_token":"a\r\nx: y","expires_in":3600}"#,
            #"{"access_token":"a","expires_in":"soon"}"#, #"{"access_token":"a","expires_in":-1}"#,
            #"{"access_token":"\#(String(repeating: "a", count: 8_193))","expires_in":3600}"#,
        ])
    func unreadable(body: String) throws {
        let error = try #require(throws: AccessTokenError.self) { try AccessTokenAnswer(.answer(200, body)) }
        #expect(error.kind == .unavailable(nil))
        #expect(error.description == "Google gives no access token for the moment: its answer cannot be read")
    }

    @Test(
        "that refuse the account say why",
        arguments: [
            (
                400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#,
                "Google refuses the service account (invalid_grant): its key was revoked, or this machine's clock is wrong; "
                    + "Google's words: Invalid JWT Signature."
            ),
            (401, #"{"error":"invalid_client"}"#, "Google refuses the service account (invalid_client)"),
            (403, #"{"error":{"code":403}}"#, "Google refuses the service account (HTTP 403)"),
            (404, "<html>", "Google refuses the service account (HTTP 404)"),
        ])
    func refused(status: Int, body: String, sentence: String) throws {
        let error = try #require(throws: AccessTokenError.self) { try AccessTokenAnswer(.answer(status, body)) }
        #expect(error.kind == .refused)
        #expect(error.description == sentence)
    }

    @Test("are kept short, and without what may not stand in a log")
    func bounded() throws {
        let body =
            #"{"error":"\#(String(repeating: "x\\n", count: 99))","error_description":"\#(String(repeating: "ä\\u001by", count: 999))"}"#
        let error = try #require(throws: AccessTokenError.self) { try AccessTokenAnswer(.answer(400, body)) }
        #expect(
            error.description == "Google refuses the service account ("
                + String(repeating: "x", count: 64) + "); Google's words: " + String(repeating: "y", count: 120))
    }

    @Test("with a passing status are passing trouble", arguments: [302, 408, 429, 500, 502, 503])
    func unavailable(status: Int) throws {
        let error = try #require(throws: AccessTokenError.self) {
            try AccessTokenAnswer(.answer(status, #"{"error":"backend_error"}"#, retryAfter: "30"))
        }
        #expect(error.kind == .unavailable(.seconds(30)))
        #expect(error.description == "Google gives no access token for the moment: HTTP \(status) backend_error")
    }

    @Test("that did not come are passing trouble")
    func missing() throws {
        for (ending, words) in [
            (OriginSender.Ending.failed(.timeout), "timed out"), (.failed(.dns), "name not found"),
            (.answered(HTTPAnswer(status: 200), isComplete: false), "connection reset"),
            (.answered(HTTPAnswer(status: 400), isComplete: false), "connection reset"),
        ] {
            let error = try #require(throws: AccessTokenError.self) { try AccessTokenAnswer(ending) }
            #expect(error.kind == .unavailable(nil))
            #expect(error.description.hasSuffix(words))
        }
        for ending in [OriginSender.Ending.stopped, .abandoned] {
            #expect(throws: AccessTokenError.stopped) { try AccessTokenAnswer(ending) }
        }
    }
}
