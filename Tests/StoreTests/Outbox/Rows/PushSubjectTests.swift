import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Store

@Suite("What of a payload says who is told")
struct PushSubjectTests {
    private static let key = String(repeating: "bb", count: 32)

    private func subject(_ text: String, by sender: Address? = Sample.address(1)) -> PushSubject {
        let payload = Array("ciph_msg:1:\(text)".utf8)
        let kind = OperationPayload(parsing: payload).parsed?.kind ?? .payment
        return PushSubject(Sample.operation(1, kind: kind, sender: sender).with(payload: payload))
    }

    @Test("An alias is kept up to the longest that a registration can list", arguments: [1, 63, 64, 65, 5_000])
    func alias(count: Int) {
        let alias = String(repeating: "a", count: count)
        #expect(subject("comm:\(alias):x").alias == (count <= 64 ? Array(alias.utf8) : nil))
    }

    @Test("A group message names its group only if its sender is the one that it names")
    func group() throws {
        let text =
            "gcomm:\(Self.key):7:\(Self.key):\(Self.key):\(String(repeating: "cc", count: 24)):ab:"
            + String(repeating: "d", count: 128)
        let named = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 0xbb, count: 32)))
        #expect(subject(text, by: named).groupID == [UInt8](repeating: 0xbb, count: 32))
        #expect(subject(text, by: Sample.address(1)).groupID == nil)
        #expect(subject(text, by: nil).groupID == nil)
    }

    @Test("Payments, handshakes and notes say nothing", arguments: ["pay:x", "hs:x", "self_stash:box:x"])
    func nothing(text: String) { #expect(subject(text) == PushSubject()) }

    @Test("Inbox, recipient, channel and form are those of the payload")
    func others() {
        let inbox = subject("dm:\(Self.key.prefix(32)):tea:x")
        #expect(inbox.inboxTag == [UInt8](repeating: 0xbb, count: 16) && inbox.alias == Array("tea".utf8))
        #expect(subject("gctl:\(Self.key):ab").recipient == [UInt8](repeating: 0xbb, count: 32))
        #expect(subject("gctl:ab").recipient == nil)
        let broadcast = subject(#"bcast: News:{"type":"reaction"}"#)
        #expect(broadcast.channel == "news" && broadcast.form == .reaction)
        #expect(subject("bcast:a b:x").channel == nil)
    }
}
