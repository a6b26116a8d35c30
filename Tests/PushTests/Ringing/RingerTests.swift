import APNs
import Carriers
import Foundation
import HTTP2Client
import Kaspa
import Logging
import RecordedLogs
import SampleOperations
import SignedPushes
import Store
import Testing

@testable import Push

@Suite("Ringer", .timeLimit(.minutes(5)))
struct RingerTests {
    private static let callID = "0f8fad5b-d9cb-469f-a165-70867728950e"

    private func ring(payload: String = "00ff") -> Ring {
        Ring(
            caller: Samples.alice, callee: Samples.bob, callID: Self.callID, kind: .invite, isVideo: true,
            payload: payload)
    }

    /// A phone of Bob's that can be rung.
    private func phone(
        _ number: Int, wallet: Address? = Samples.bob, primary: Address? = Samples.bob, isRung: Bool = true
    ) -> DeviceRecord {
        var device = Samples.device(number, primary: primary, wallet: wallet, watching: [Samples.alice])
        device.voipToken = isRung ? [UInt8](repeating: UInt8(number), count: 32) : []
        return device
    }

    private func register(_ bench: PushBench, _ devices: [DeviceRecord]) async throws {
        for device in devices {
            let _: DeviceOutcome<Never> = try await bench.store.registry.changeDevice(device.id) { _ in .put(device) }
        }
    }

    private func ringer(_ bench: PushBench) -> Ringer {
        Ringer(store: bench.store, sender: bench.sender, clock: bench.serviceClock, logger: bench.log.logger)
    }

    /// Runs the ringer as long as `body` runs.
    private func run(_ ringer: Ringer, _ body: () async throws -> Void) async throws {
        let task = Task { try await ringer.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            try await task.value
            throw error
        }
        task.cancel()
        try await task.value
    }

    @Test("It rings the phones that the callee's wallet has bound with that address as primary, and no other")
    func targets() async throws {
        let bench = try await PushBench()
        try await register(
            bench,
            [
                phone(1), phone(2), phone(3, isRung: false), phone(4, primary: Samples.carol), phone(5, wallet: nil),
                phone(6, wallet: Samples.alice), phone(7, wallet: Samples.carol),
            ])
        let ringer = ringer(bench)
        #expect(try await ringer.ring(ring(), from: DeviceID(token: Samples.token(6))) == .queued(2))
        #expect(try await ringer.ring(ring(), from: DeviceID(token: Samples.token(2))) == .queued(1))
        try await run(ringer) { _ = try await bench.sender.requests(count: 3) }
        let tokens = bench.sender.exchanges.map(\.request.deviceToken)
        let (first, second) = (String(repeating: "01", count: 32), String(repeating: "02", count: 32))
        #expect(Set(tokens) == [first, second] && tokens.count { $0 == first } == 2)
    }

    @Test("A VoIP push says who calls, by the server's clock, at the top level")
    func notification() async throws {
        let bench = try await PushBench()
        try await register(bench, [phone(1)])
        let ringer = ringer(bench)
        _ = try await ringer.ring(ring(), from: DeviceID(token: Samples.token(9)))
        try await run(ringer) { _ = try await bench.sender.requests(count: 1) }
        let request = try #require(bench.sender.exchanges.first?.request)
        #expect(request.kind == .voip)
        #expect(
            String(decoding: request.payload, as: UTF8.self)
                == #"{"call_id":"\#(Self.callID)","kind":"invite","video":true,"sender":"\#(Samples.alice)","#
                + #""timestamp":\#(bench.clock.now),"payload":"00ff"}"#)
        let longest = ring(payload: String(repeating: "f", count: 4_096)).notification(at: .max)
        #expect(longest.count <= 5_120)
    }

    @Test("With a key a VoIP push is signed for the token for ringing, also with the longest payload")
    func signed() async throws {
        let bench = try await PushBench()
        try await register(bench, [phone(1)])
        let key = SigningKey.make()
        let ringer = Ringer(
            store: bench.store, sender: bench.sender, signer: PushSigner(key), clock: bench.serviceClock,
            logger: bench.log.logger)
        for payload in ["00ff", String(repeating: "f", count: 4_096)] {
            _ = try await ringer.ring(ring(payload: payload), from: DeviceID(token: Samples.token(9)))
        }
        try await run(ringer) { _ = try await bench.sender.requests(count: 2) }
        for request in bench.sender.exchanges.map(\.request) {
            #expect(request.payload.count <= request.kind.applePayloadLimit)
            let push = try #require(SignedPush(json: request.payload))
            #expect(push.isSigned(by: key.publicKey.bytes, for: String(repeating: "01", count: 32)))
            #expect(push.text(for: "").contains("tx_id=\(Self.callID)\ntype=invite\nsender=\(Samples.alice)\nseq=\n"))
        }
    }

    @Test(
        "It tries once, and forgets a token that Apple calls dead, not the device",
        arguments: [
            (.delivered(apnsID: ""), true), (.tokenInvalid(.badDeviceToken), false),
            (.tokenGone(.unregistered, timestampMilliseconds: 7), false),
            (.tokenGone(.unregistered, timestampMilliseconds: 6), true),
            (.tokenInvalid(.deviceTokenNotForTopic), true), (.transport(.timeout), true),
            (.serverUnavailable(.shutdown, retryAfter: nil), true), (.configurationRefused(.badTopic), true),
        ] as [(APNsOutcome, Bool)])
    func once(outcome: APNsOutcome, isKept: Bool) async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in outcome })
        var device = phone(1)
        device.lastSeen = 7
        try await register(bench, [device])
        let ringer = ringer(bench)
        _ = try await ringer.ring(ring(), from: DeviceID(token: Samples.token(9)))
        try await run(ringer) {
            _ = try await bench.sender.requests(count: 1)
            while try await bench.store.registry.device(device.id)?.voipToken.isEmpty == isKept, !isKept {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(bench.sender.count == 1)
        #expect(try await bench.store.registry.device(device.id)?.voipToken.isEmpty == !isKept)
        #expect(try await bench.store.registry.device(device.id)?.walletAddress == Samples.bob)
    }

    @Test("A phone that is registered twice rings once, by its latest registration, and the caller's own never")
    func twice() async throws {
        let bench = try await PushBench()
        var (old, new, own) = (phone(1), phone(2), phone(3))
        (old.voipToken, old.lastSeen, new.lastSeen) = (new.voipToken, 1, 2)
        own.voipToken = [UInt8](repeating: 9, count: 32)
        var caller = phone(4, wallet: Samples.alice, primary: Samples.alice)
        caller.voipToken = own.voipToken
        try await register(bench, [old, new, own, caller])
        let ringer = ringer(bench)
        #expect(try await ringer.ring(ring(), from: caller.id) == .queued(1))
        try await run(ringer) { _ = try await bench.sender.requests(count: 1) }
        #expect(bench.sender.exchanges.map(\.request.deviceToken) == [String(repeating: "02", count: 32)])
    }

    @Test("So many calls wait and no more", arguments: [255, 256, 257])
    func bounded(count: Int) async throws {
        let bench = try await PushBench()
        try await register(bench, [phone(1)])
        let ringer = ringer(bench)
        var answers: [Ringer.Answer] = []
        for _ in 0..<count { answers.append(try await ringer.ring(ring(), from: DeviceID(token: Samples.token(9)))) }
        #expect(answers.count { $0 == .queued(1) } == min(count, Ringer.waitingCalls))
        #expect(answers.count { $0 == .busy } == max(0, count - Ringer.waitingCalls))
    }

    @Test("After an unregister is answered nobody is rung, and it waits for the push that is on its way")
    func unregistered() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        let device = phone(1)
        try await register(bench, [device])
        let ringer = ringer(bench)
        let registry = DeviceRegistry(
            store: bench.store, inFlight: InFlightDevices(), ringing: ringer.inFlight, clock: bench.serviceClock)
        for _ in 0..<2 { _ = try await ringer.ring(ring(), from: DeviceID(token: Samples.token(9))) }
        try await run(ringer) {
            let request = try #require(try await bench.sender.requests(count: 1).first)
            let isOver = Tally()
            async let removed = {
                let removed = try await registry.remove(device.id)
                _ = isOver.add()
                return removed
            }()
            while try await bench.store.registry.device(device.id) != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(isOver.count == 0)
            bench.sender.answer(request.id, .delivered(apnsID: ""))
            #expect(try await removed)
        }
        #expect(bench.sender.count == 1)
    }
}
