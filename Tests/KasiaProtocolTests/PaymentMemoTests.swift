import Testing

@testable import KasiaProtocol

@Suite("PaymentMemo")
struct PaymentMemoTests {
    @Test(
        "A memo is the text member `message` of a JSON object, and nothing else",
        arguments: [
            (#"{"message":"lunch"}"#, "lunch"), (#" {"a":[1],"message":""}"#, ""), ("\r\n\t{\"message\":\"x\"}", "x"),
            (#"{"message":"\u00fc\n"}"#, "ü\n"), (#"{"message":5}"#, nil), (#"{"message":null}"#, nil),
            (#"{"Message":"x"}"#, nil), (#"["message"]"#, nil), (#""message""#, nil), (#"{"message":"x""#, nil),
            ("c2VhbGVk", nil), ("", nil), ("   ", nil), (#"{"message":"\ud800"}"#, nil),
            ("{\"message\":\"" + String(repeating: "[", count: 3000) + "\"}", String(repeating: "[", count: 3000)),
            (String(repeating: #"{"message":"#, count: 1500), nil),
        ] as [(String, String?)])
    func reads(body: String, memo: String?) {
        #expect(PaymentMemo.text(in: Array(body.utf8)[...]) == memo)
    }

    @Test("Bytes that are not UTF-8 are no memo")
    func refusesOtherBytes() {
        #expect(PaymentMemo.text(in: Array(#"{"message":""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8)) == nil)
    }

    @Test(
        "A body is read up to the size at which its memo can still fit", arguments: [(-1, true), (0, true), (1, false)])
    func bounds(difference: Int, isRead: Bool) {
        let start = #"{"message":"x","#
        let end = #""y":1}"#
        let padding = PaymentMemo.maximumBodyBytes + difference - start.utf8.count - end.utf8.count
        let body = start + String(repeating: " ", count: padding) + end
        #expect(PaymentMemo.text(in: Array(body.utf8)[...]) == (isRead ? "x" : nil))
    }
}
