import Testing

@testable import KasiaPushCore

@Suite("Composed calls")
struct ComposedCallTests {
    private let call = CallPush(
        callID: "0f8fad5b-d9cb-469f-a165-70867728950e", kind: .invite, isVideo: true, sender: Pushes.sender,
        timestamp: 1_000_000, sealed: nil)
    private let composer = NotificationComposer(settings: NotificationSettings(ownAddresses: [Pushes.other]))

    @Test("have the caller's name, or the shortened address")
    func names() {
        #expect(
            composer.compose(call, now: 1_000_001)
                == ComposedCall(
                    callID: call.callID, name: "kaspa:qp...f5k28l", address: Pushes.sender, isVideo: true, refusal: nil)
        )
        let bob = Contact(address: Pushes.sender, name: "Bob")
        #expect(composer.compose(call, contact: bob, now: 1_000_001).name == "Bob")
    }

    @Test(
        "are stale after 45 seconds, and never too early",
        arguments: [
            (0, false), (999_999, false), (1_044_999, false), (1_045_000, false), (1_045_001, true), (.max, true),
        ]
            as [(UInt64, Bool)])
    func age(now: UInt64, isStale: Bool) {
        #expect(composer.compose(call, now: now).refusal == (isStale ? .stale : nil))
    }

    @Test("of a muted contact, or of oneself, are ended at once")
    func refused() {
        let muted = Contact(address: Pushes.sender, isMuted: true)
        #expect(composer.compose(call, contact: muted, now: .max).refusal == .mutedContact)
        let own = NotificationComposer(settings: NotificationSettings(ownAddresses: [Pushes.sender]))
        #expect(own.compose(call, contact: muted, now: 1_000_000).refusal == .own)
    }

    @Test("are no notifications")
    func notification() {
        #expect(composer.compose(.call(call)) == .suppress(.call))
    }
}
