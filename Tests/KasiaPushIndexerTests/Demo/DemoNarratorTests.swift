import Synchronization
import Testing

@testable import KasiaPushIndexer

@Suite("The narrator of the demo", .timeLimit(.minutes(1)))
struct DemoNarratorTests {
    /// What it says about these lines of the stand-in, as soon as all pushes among them are shown.
    private static func said(_ lines: [String], phones: [DemoDevice]) async -> (said: [String], tally: DemoTally) {
        let said = Mutex<[String]>([])
        // On a crowded machine these lines may wait for seconds; what it says then is ReadingPace's own test.
        let pace = ReadingPace(interval: .zero, patience: .seconds(3600))
        let narrator = DemoNarrator(phones: phones, pace: pace, start: .now) { text in
            said.withLock { $0.append(text) }
        }
        for line in lines { narrator.take(line) }
        #expect(narrator.waiting == lines.count { $0.hasPrefix("{") })
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await narrator.run() }
            while narrator.waiting > 0 { await Task.yield() }
            group.cancelAll()
        }
        return (said.withLock { $0 }, narrator.tally)
    }

    private static func push(_ token: String, _ type: String, status: Int = 200) throws -> String {
        let body = #"{"type":"\#(type)","sender":"\#(DemoCast.alice)","tx_id":"\#(type)-id"}"#
        return try DemoPushTests.line(body, token: token, status: status)
    }

    @Test("tells each push with its time and its phone's name, in order, and counts")
    func lines() async throws {
        let phones = DemoDevice.cast()
        let stranger = String(repeating: "0", count: 56) + "12345678"
        let (said, tally) = try await Self.said(
            [
                Self.push(phones[1].token, "contextual"), Self.push(phones[2].token, "handshake"),
                Self.push(stranger, "payment"), Self.push(phones[1].token, "contextual", status: 410),
            ], phones: phones)
        #expect(
            said.map { $0.dropFirst(9).description } == [
                "  Bob's phone: New Message from Alice", "  Carol's phone: New Contact Request from Alice",
                "  Phone …12345678: Payment Received from Alice",
                "  Bob's phone: Apple's stand-in refused a push: 410 without a reason",
            ])
        #expect(said.allSatisfy { $0.prefix(9).wholeMatch(of: /\s*\d+\.\d s/) != nil })
        #expect((tally.accepted, tally.refused) == (3, 1))
        #expect(tally.transaction == "payment-id")
        #expect(tally.text(of: phones[1].token) == "1: 1 message, 0 payments, 0 contact requests")
    }

    @Test("shows a card under the line of its push")
    func cards() async throws {
        let phones = DemoDevice.cast()
        let (said, _) = try await Self.said(
            ["┌─ one", "└─", Self.push(phones[0].token, "payment"), Self.push(phones[0].token, "payment")],
            phones: phones)
        #expect(said.count == 2)
        #expect(said[0].hasSuffix("\n┌─ one\n└─"))
        #expect(!said[1].contains("\n"))
    }
}
