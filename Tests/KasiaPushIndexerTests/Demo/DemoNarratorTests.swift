import Synchronization
import Testing

@testable import KasiaPushIndexer

@Suite("The narrator of the demo", .timeLimit(.minutes(5)))
struct DemoNarratorTests {
    /// What it says about these lines of the stand-in, as soon as `count` of them are shown.
    private static func said(
        _ lines: [String], devices: [DemoDevice], showsCards: Bool = false, count: Int? = nil
    ) async -> (said: [String], tally: DemoTally) {
        let said = Mutex<[String]>([])
        // On a crowded machine these lines may wait for seconds; what it says then is ReadingPace's own test.
        let pace = ReadingPace(interval: .zero, patience: .seconds(3600))
        let narrator = DemoNarrator(devices: devices, showsCards: showsCards, pace: pace, start: .now) { text in
            said.withLock { $0.append(text) }
        }
        for line in lines { narrator.take(line) }
        #expect(narrator.waiting == count ?? lines.count { $0.hasPrefix("{") })
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await narrator.run() }
            while narrator.waiting > 0 { await Task.yield() }
            group.cancelAll()
        }
        return (said.withLock { $0 }, narrator.tally)
    }

    private static func push(_ token: String, _ type: String, status: Int = 200) throws -> String {
        let transaction = DemoPushTests.transaction(type)
        let body = #"{"type":"\#(type)","sender":"\#(DemoCast.alice)","tx_id":"\#(transaction)"}"#
        return try DemoPushTests.line(body, token: token, status: status)
    }

    @Test("tells each push with its time and its device's name, in order, and counts")
    func lines() async throws {
        let phones = DemoDevice.cast()
        let stranger = String(repeating: "0", count: 56) + "12345678"
        let (said, tally) = try await Self.said(
            [
                Self.push(phones[1].token, "contextual"), Self.push(phones[2].token, "handshake"),
                Self.push(stranger, "payment"), Self.push(phones[1].token, "contextual", status: 410),
            ], devices: phones)
        #expect(
            said.map { $0.dropFirst(9).description } == [
                "  Bob's iPhone: Alice: New message", "  Carol's iPhone: Alice: Started a conversation",
                "  Device …12345678: Alice: Received a payment",
                "  Bob's iPhone: The stand-in for Apple refused a push: 410 without a reason",
            ])
        #expect(said.allSatisfy { $0.prefix(9).wholeMatch(of: /\s*\d+\.\d s/) != nil })
        #expect((tally.accepted, tally.refused) == (3, 1))
        #expect(tally.transaction == DemoPushTests.transaction("payment"))
        #expect(tally.text(of: phones[1].token) == "1: 1 message, 0 payments, 0 contact requests")
    }

    @Test("shows a card under the line of its push when asked to")
    func cards() async throws {
        let phones = DemoDevice.cast()
        let lines = try ["┌─ one", "└─", Self.push(phones[0].token, "payment"), Self.push(phones[0].token, "payment")]
        let (said, _) = await Self.said(lines, devices: phones, showsCards: true)
        #expect(said.count == 2)
        #expect(said[0].hasSuffix("\n┌─ one\n└─"))
        #expect(!said[1].contains("\n"))
        let (short, _) = await Self.said(lines, devices: phones)
        #expect(short.allSatisfy { !$0.contains("\n") })
    }

    /// The cast, with Bob's Android phone and browser.
    private static func devices() throws -> [DemoDevice] {
        let json = #"{"endpoint":"https://127.0.0.1:1/push/an-id","keys":{"auth":"a","p256dh":"b"}}"#
        return DemoDevice.adding(to: DemoDevice.cast(), of: "Bob", try #require(DemoSubscription(json: json)))
    }

    /// A push by each carrier with its card: as the stand-in prints it.
    private static func lines(_ type: String, to devices: ArraySlice<DemoDevice>) throws -> [String] {
        try zip(devices, DemoCarrier.allCases).flatMap { device, carrier in
            ["┌─ \(carrier.name)", try DemoPushTests.line(type, of: carrier, token: device.token)]
        }
    }

    @Test("shows the first push on each device of its owner with its card, together, and later ones on the iPhone")
    func firstPush() async throws {
        let devices = try Self.devices()
        let bob = devices[1...3]
        #expect(bob.map(\.name) == ["Bob's iPhone", "Bob's Android phone", "Bob's browser"])
        let first = try Self.lines("handshake", to: bob)
        let second = try Self.lines("contextual", to: bob)
        // Carol's comes before, and Bob's second push between the first ones.
        let carols = try Self.push(devices[4].token, "payment")
        let lines = [carols] + first[0...1] + second[0...1] + first[2...] + second[2...]
        let (said, tally) = await Self.said(lines, devices: devices, count: 5)
        let expected = [
            "Bob's iPhone: Alice: Started a conversation\n┌─ Apple",
            "Bob's Android phone: Alice: Started a conversation\n┌─ Google",
            "Bob's browser: Alice: Started a conversation\n┌─ Web Push",
            "Carol's iPhone: Alice: Received a payment", "Bob's iPhone: Alice: New message",
        ]
        #expect(said.map { $0.dropFirst(11).description } == expected)
        #expect(tally.text == "7 pushes arrived (Apple 3, Google 2, Web Push 2), 0 refused")
        for device in bob {
            #expect(tally.text(of: device.token) == "2: 1 message, 0 payments, 1 contact request")
        }
    }

    @Test("shows no other request, and no card of one, but every refusal")
    func otherRequests() async throws {
        let devices = try Self.devices()
        let token = #"{"carrier":"google_token","token":"","status":200,"accepted":false,"body":""}"#
        let refusal = try DemoPushTests.line("payment", of: .fcm, token: devices[2].token, status: 403, reason: "NO")
        let (said, tally) = try await Self.said(
            ["✓ 200", token, Self.push(devices[4].token, "payment"), "✗ 403", refusal], devices: devices,
            showsCards: true, count: 2)
        let expected = [
            "Carol's iPhone: Alice: Received a payment",
            "Bob's Android phone: The stand-in for Google refused a push: 403 NO\n✗ 403",
        ]
        #expect(said.map { $0.dropFirst(11).description } == expected)
        #expect((tally.accepted, tally.refused) == (1, 1))
    }
}
