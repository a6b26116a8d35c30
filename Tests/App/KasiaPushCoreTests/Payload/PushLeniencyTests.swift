import Foundation
import Testing

@testable import KasiaPushCore

@Suite("Pushes that are not as they should be")
struct PushLeniencyTests {
    private let alert = PushAlert(title: "A title", body: "A body")

    private func flat(_ members: String) throws -> PushPayload {
        try Pushes.read(#"{"aps":{"alert":{"title":"A title","body":"A body"}},\#(members)}"#)
    }

    @Test("an unknown type keeps its alert and its details")
    func unknownType() throws {
        let push = try flat(#""type":"poll","tx_id":"\#(Pushes.transaction)","seq":3"#)
        guard case .unknown(alert, let details?) = push else {
            Issue.record("\(push)")
            return
        }
        #expect(details.type == "poll" && details.seq == 3)
        let nested = Pushes.kasia("poll", payload: "00")
        guard case .unknown(let shown, _?) = try Pushes.read(nested) else {
            Issue.record("no alert")
            return
        }
        #expect(shown.title == "New Message")
        #expect(
            try Pushes.read(#"{"title":"t","body":"b","type":"test"}"#) == .unknown(.init(title: "t", body: "b"), nil))
        #expect(PushPayload(data: ["title": "t"]) == .unknown(.init(title: "t"), nil))
        #expect(PushPayload(data: [:]) == .unknown(PushAlert(), nil))
    }

    @Test(
        "a member of the wrong kind makes it unknown",
        arguments: [
            #""type":"contextual""#, #""tx_id":"ab""#, #""type":7,"tx_id":"TX""#, #""type":"contextual","tx_id":7"#,
            #""type":"contextual","tx_id":"TX0""#, #""type":"","tx_id":"TX""#,
            #""type":"contextual","tx_id":"TX","sender":"kaspa:qz7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsj""#,
            #""type":"contextual","tx_id":"TX","sender":"Bob""#, #""type":"broadcast","tx_id":"TX""#, #""a":1"#,
            #""kasia":{"type":"payment"}"#, #""kasia":{}"#,
        ])
    func wrongMembers(members: String) throws {
        let push = try flat(members.replacing("TX", with: Pushes.transaction))
        guard case .unknown(alert, let details) = push else {
            Issue.record("\(push)")
            return
        }
        #expect((details != nil) == members.contains("broadcast"))
    }

    @Test("an optional member of the wrong kind is left out")
    func optionalMembers() throws {
        let members = #""type":"payment","tx_id":"\#(Pushes.transaction)","sender":null,"#
        for amount in ["-1", "1.5", "18446744073709551616", #""""#, #""-1""#, #""+1""#, #""1e3""#, "null", "[1]", "{}"]
        {
            guard
                case .payment(let details, let sealed, let read, let memo) =
                    try flat(members + #""amount":\#(amount),"seq":\#(amount),"payload":7,"memo":[]"#)
            else {
                Issue.record("\(amount)")
                continue
            }
            #expect(read == nil && details.seq == nil && sealed == nil && memo == nil, "\(amount)")
        }
        for (amount, value) in [("0", 0), (#""7""#, 7), ("1.0", 1), ("18446744073709551615", UInt64.max)] {
            guard case .payment(_, _, value, _) = try flat(members + #""amount":\#(amount)"#) else {
                Issue.record("\(amount)")
                continue
            }
        }
    }

    @Test(
        "flags are true, 1 or `true`",
        arguments: [
            ("true", true), ("1", true), (#""true""#, true), ("false", false), ("0", false), ("2", false),
            (#""1""#, false), ("null", false), ("[]", false),
        ])
    func flags(text: String, isSet: Bool) throws {
        let push = try flat(#""type":"contextual","tx_id":"\#(Pushes.transaction)","inbox":\#(text)"#)
        guard case .message(_, _, isSet) = push else {
            Issue.record("\(push)")
            return
        }
    }

    @Test("an alert may be one text")
    func alertText() throws {
        #expect(try Pushes.read(#"{"aps":{"alert":"hello"}}"#) == .unknown(PushAlert(body: "hello"), nil))
        #expect(try Pushes.read(#"{"aps":7,"title":"t"}"#) == .unknown(PushAlert(title: "t"), nil))
    }

    @Test("JSON has at most 16,384 bytes", arguments: [16_383, 16_384, 16_385])
    func longest(count: Int) throws {
        let json = #"{"title":"t","a":""#
        let text = json + String(repeating: "x", count: count - json.utf8.count - 2) + #""}"#
        guard count <= 16_384 else {
            #expect(throws: PushPayloadError.tooLong) { try Pushes.read(text) }
            return
        }
        #expect(try Pushes.read(text) == .unknown(PushAlert(title: "t"), nil))
    }

    @Test(
        "what is no JSON object is no push",
        arguments: ["", "[]", "7", "{", #"{"a":1,"a":2}"#, #"{"a":"\ud800"}"#, "{}x"])
    func notJSON(text: String) {
        #expect(throws: PushPayloadError.notJSON) { try Pushes.read(text) }
    }

    @Test("deep JSON costs nothing")
    func deepJSON() {
        let text = #"{"a":"# + String(repeating: "[", count: 5_000)
        #expect(throws: PushPayloadError.notJSON) { try Pushes.read(text) }
    }

    @Test("what iOS gives may be of Swift's own types, and hold what no JSON has")
    func nativeValues() {
        let userInfo: [AnyHashable: Any] = [
            "type": "payment", "tx_id": Pushes.transaction, "amount": 125_000_000, "seq": UInt64.max, 7: "seven",
            "timestamp": Int64(-1), "daa_score": UInt8(9), "inbox": true, "date": Date(), "null": NSNull(),
            "aps": ["alert": ["title": "t", "body": "b"] as [String: Any], "badge": 1] as [String: Any],
        ]
        guard case .payment(let details, nil, 125_000_000, nil) = PushPayload(userInfo: userInfo) else {
            Issue.record("no payment")
            return
        }
        #expect(details.seq == .max && details.timestamp == nil && details.daaScore == 9)
        #expect(details.alert == PushAlert(title: "t", body: "b"))
    }

    @Test("what iOS gives is read four objects deep")
    func depth() {
        func nest(_ depth: Int) -> [AnyHashable: Any] { depth == 0 ? ["alert": "x"] : ["aps": nest(depth - 1)] }
        #expect(PushPayload(userInfo: nest(1)) == .unknown(PushAlert(body: "x"), nil))
        #expect(PushPayload(userInfo: nest(200)) == .unknown(PushAlert(), nil))
        let deep = PushMembers(userInfo: nest(4)).object("aps")?.object("aps")?.object("aps")
        #expect(deep != nil && deep?.object("aps") == nil)
    }
}
