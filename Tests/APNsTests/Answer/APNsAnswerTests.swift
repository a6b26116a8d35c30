import Testing

@testable import APNs

@Suite("APNs answers")
struct APNsAnswerTests {
    private func answer(_ status: Int, _ body: String) -> APNsAnswer {
        APNsAnswer(status: status, body: Array(body.utf8), retryAfter: nil, apnsID: nil)
    }

    @Test("give the reason and the timestamp, each by itself")
    func fields() {
        #expect(answer(400, #"{"reason":"BadDeviceToken"}"#).reason == "BadDeviceToken")
        let gone = answer(410, #"{"timestamp":1704067200000,"reason":"Unregistered"}"#)
        #expect(gone.reason == "Unregistered")
        #expect(gone.timestampMilliseconds == 1_704_067_200_000)
        let odd = answer(410, #"{"timestamp":"yesterday","reason":"Unregistered","more":[1,{}]}"#)
        #expect(odd.reason == "Unregistered")
        #expect(odd.timestampMilliseconds == nil)
        #expect(answer(410, #"{"timestamp":-1,"reason":7}"#) == APNsAnswer(status: 410))
    }

    @Test(
        "keep only the status of a body that is not the expected JSON",
        arguments: [
            "", "<html>", "{", #"{"reason":"BadDev"#, "[]", "null", "7", #""text""#, "{}", #"{"reason":null}"#,
            #"{"reason":""}"#, #"{"reason":"\n\t"}"#, "\u{0}", String(repeating: "[", count: 16_384),
        ])
    func noReason(body: String) { #expect(answer(400, body) == APNsAnswer(status: 400)) }

    @Test("bound an unknown reason and take from it what has no place in a log")
    func sanitized() {
        #expect(answer(400, #"{"reason":"Some\nNew\u0007 Reason-1"}"#).reason == "SomeNewReason1")
        for (length, kept) in [(63, 63), (64, 64), (65, 64), (10_000, 64)] {
            let body = #"{"reason":"\#(String(repeating: "x", count: length))"}"#
            #expect(answer(400, body).reason?.count == kept)
        }
    }

    @Test("do not read the body of a success")
    func success() { #expect(answer(200, #"{"reason":"Whatever"}"#) == APNsAnswer(status: 200)) }
}
