import Kaspa
import Push
import SampleOperations
import Testing

@testable import Store

/// Pushes that strangers can cause are limited an hour (operator guide, "Limits").
@Suite("Hourly limits of inbox messages and broadcasts", .timeLimit(.minutes(10)))
struct HourlyLimitTests {
    private let device = DeviceID(token: Samples.token(1))

    private func accept(
        _ bench: PushBench, _ numbers: Range<UInt64>, _ kind: PushKind, by sender: Address = Samples.alice
    ) async throws {
        let payload = kind == .broadcast ? Samples.broadcast("hi") : Samples.inboxMessage(tag: Samples.bob.inboxTag)
        try await bench.accept(numbers, from: sender, payload: payload)
    }

    @Test(
        "Within an hour thirty are told, the thirty-first is suppressed and counted",
        arguments: [29, 30, 31], [PushKind.contextualMessage, .broadcast])
    func limit(count: UInt64, kind: PushKind) async throws {
        let bench = try await PushBench()
        try await bench.register(Samples.device(1, primary: Samples.bob, channels: ["kaspa"]))
        try await accept(bench, 1..<count + 1, kind)
        try await bench.run { dispatcher in
            try await bench.drained()
            #expect(bench.sender.count == Int(min(count, 30)))
            #expect(
                try await bench.store.outbox.books().suppressedByReason["hourly_limit", default: 0]
                    == (count > 30 ? 1 : 0))
            // The limits are apart, and an hour later there is room again.
            let other: PushKind = kind == .broadcast ? .contextualMessage : .broadcast
            try await accept(bench, 100..<101, other)
            dispatcher.wake()
            try await bench.drained()
            #expect(bench.sender.count == Int(min(count, 30)) + 1)
            bench.advance(dispatcher, by: .seconds(3_600))
            try await accept(bench, 200..<201, kind)
            dispatcher.wake()
            try await bench.drained()
            #expect(bench.sender.count == Int(min(count, 30)) + 2)
        }
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("Who is watched writes as often as he likes")
    func contact() async throws {
        let bench = try await PushBench()
        try await bench.register(Samples.device(1, primary: Samples.bob, watching: [Samples.alice]))
        try await accept(bench, 1..<41, .contextualMessage)
        try await bench.run { _ in try await bench.drained() }
        #expect(bench.sender.count == 40)
    }

    @Test("An unregister forgets the times, and leaves no row")
    func forgotten() async throws {
        let bench = try await PushBench()
        try await bench.register(Samples.device(1, primary: Samples.bob, channels: ["kaspa"]))
        try await accept(bench, 1..<2, .contextualMessage)
        try await accept(bench, 2..<3, .broadcast)
        try await bench.run { _ in try await bench.drained() }
        try await bench.store.registry.removeDevice(device)
        for limit in HourlyLimit.allCases {
            #expect(try bench.store.database.recentPushes(limit, to: device).pushes == [])
        }
        #expect(try bench.store.checkBooks().rows[.recentFunds] == 0)
        #expect(try bench.store.checkBooks().rows[.watchers] == 0)
    }
}
