import APNs
import Kaspa
import SampleOperations
import Testing

@testable import Push
@testable import Store

@Suite("What holds up sending", .timeLimit(.minutes(10)))
struct SendingTroubleTests {
    @Test("A pause is told with its reason and its end, to the second, and not when it is over")
    func pause() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { request, attempt in
                attempt == 1 ? .providerTokenThrottled(retryAfter: nil) : .delivered(apnsID: request.id)
            })
        try await bench.register(1..<2)
        try await bench.run { dispatcher in
            #expect(await dispatcher.sendingTrouble == nil)
            try await bench.accept(1..<2)
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 1 }
            let sentence = "Sending is paused: Apple throttles the provider token; next try in "
            #expect(await dispatcher.sendingTrouble == sentence + "60 s.")
            bench.clock.advance(by: .milliseconds(59_000))
            #expect(await dispatcher.sendingTrouble == sentence + "1 s.")
            bench.advance(dispatcher, by: .seconds(1))
            try await bench.drained()
            #expect(await dispatcher.sendingTrouble == nil)
        }
    }

    @Test("A store that fails is not called a pause")
    func store() async throws {
        let bench = try await PushBench()
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.store.write { $0.put(.operations, Samples.hash(1).bytes, [0xff]) }
        try await bench.run { dispatcher in
            dispatcher.wake()
            while await dispatcher.trouble(of: .apns) == nil { await Task.yield() }
            let sentence = try #require(await dispatcher.sendingTrouble)
            #expect(sentence.hasPrefix("The store holds deliveries up: a stored row is damaged"))
            #expect(sentence.hasSuffix(".") && !sentence.contains("paused"))
        }
    }
}
