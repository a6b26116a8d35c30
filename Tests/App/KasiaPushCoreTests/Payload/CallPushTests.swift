import Testing

@testable import KasiaPushCore

@Suite("Calls")
struct CallPushTests {
    private static let id = "0f8fad5b-d9cb-469f-a165-70867728950e"

    @Test("have six members", arguments: CallPush.Kind.allCases)
    func reads(kind: CallPush.Kind) throws {
        let text = Pushes.call(kind: kind.rawValue, video: kind == .invite ? "true" : "false", payload: "beef")
        let push = try Pushes.read(text)
        #expect(
            push
                == .call(
                    CallPush(
                        callID: Self.id, kind: kind, isVideo: kind == .invite, sender: Pushes.sender,
                        timestamp: 1_767_225_600_000, sealed: Pushes.sealed("beef"))))
        #expect(try PushPayload(userInfo: Pushes.userInfo(text)) == push)
        #expect(push.details == nil && push.sealed == Pushes.sealed("beef") && !push.needsFetching)
        guard case .call(let call) = try Pushes.read(Pushes.call(payload: "")) else {
            Issue.record("no call")
            return
        }
        #expect(call.sealed == nil)
    }

    @Test("that cannot be read are unknown, and still pushes")
    func unreadable() throws {
        let texts = [
            Pushes.call(id: Self.id.uppercased()), Pushes.call(id: Self.id + "0"), Pushes.call(id: ""),
            Pushes.call(id: Self.id.replacing("-", with: "a")), Pushes.call(kind: "hangup"),
            Pushes.call(sender: "kaspa:q"), Pushes.call(timestamp: "-1"), Pushes.call(timestamp: #""x""#),
        ]
        for text in texts { #expect(try Pushes.read(text) == .unknown(PushAlert(), nil), "\(text)") }
    }
}
