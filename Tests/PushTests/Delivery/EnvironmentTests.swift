import APNs
import Kaspa
import Push
import RecordedLogs
import SampleOperations
import Store
import Testing

/// Which of Apple's hosts a device's notifications go to.
@Suite("Environments of devices", .timeLimit(.minutes(10)))
struct EnvironmentTests {
    private static let device = DeviceID(token: Samples.token(1))

    private func bench(
        _ environment: DeviceRecord.KnownEnvironment?, own: DeviceRecord.Environment? = .production,
        _ script: @escaping ScriptedSender.Script
    ) async throws -> PushBench {
        let bench = try await PushBench(sender: ScriptedSender(script), environment: own)
        var device = Samples.device(1, watching: [Samples.alice])
        device.environment = environment
        try await bench.register(device)
        return bench
    }

    @Test(
        "An app that has said where its token is good is believed; else the other host may be tried",
        arguments: [
            (nil, nil, true), (.init(.development, isSaid: true), .development, false),
            (.init(.production, isSaid: true), .production, false),
            (.init(.development, isSaid: false), .development, true),
            (.init(.production, isSaid: false), .production, true),
        ] as [(DeviceRecord.KnownEnvironment?, APNsHost?, Bool)])
    func route(environment: DeviceRecord.KnownEnvironment?, host: APNsHost?, mayTryOther: Bool) async throws {
        let bench = try await bench(environment) { request, _ in .delivered(apnsID: request.id) }
        try await bench.accept(1..<2)
        try await bench.run { _ in try await bench.drained() }
        let request = try #require(bench.sender.exchanges.first?.request)
        #expect(request.host == host && request.mayTryOtherHost == mayTryOther)
    }

    @Test("What worked is kept in the device's row, forgets its strikes, and is where the next one goes")
    func learned() async throws {
        let bench = try await bench(nil) { request, _ in
            request.host == .development
                ? .delivered(apnsID: request.id) : .deliveredByOtherHost(apnsID: request.id, host: .development)
        }
        try await bench.accept(1..<3)
        try await bench.run { _ in try await bench.drained() }
        #expect(bench.sender.exchanges.map(\.request.host) == [nil, .development])
        #expect(try await bench.store.registry.device(Self.device)?.environment == .init(.development, isSaid: false))
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("A host that refuses the operator's credentials for a stranger's device stops nobody else, and not for ever")
    func refusedElsewhere() async throws {
        let token = String.hex(Samples.token(1))
        let bench = try await bench(.init(.development, isSaid: true)) { request, _ in
            request.deviceToken == token
                ? .otherHostRefused(.badEnvironmentKeyInToken) : .delivered(apnsID: request.id)
        }
        try await bench.register(2..<3)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            _ = try await bench.sender.requests(count: 2)
            #expect(await dispatcher.trouble(of: .apns) == nil)
            try await bench.passTime { try await bench.store.totals().deliveries == 0 }
        }
        #expect(bench.sender.requests(to: Samples.token(1)).count == 16)
        #expect(bench.sender.requests(to: Samples.token(2)).count == 1)
        #expect(try await bench.store.outbox.books().deadByReason == ["BadEnvironmentKeyInToken": 1])
        #expect(try await bench.store.registry.device(Self.device) != nil)
        #expect(try await bench.store.outbox.deviceState(Self.device).strikes == 0)
    }

    @Test("While the other host is silent, what goes there takes a quarter of the capacity, and goes on after it")
    func silentElsewhere() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { request, _ in
                request.host == .development ? nil : .delivered(apnsID: request.id)
            }, capacity: 8, environment: .production)
        for number in 1..<21 {
            var device = Samples.device(number, watching: [Samples.alice])
            if number > 10 { device.environment = .init(.development, isSaid: true) }
            try await bench.register(device)
        }
        try await bench.accept(1..<4)
        try await bench.run { dispatcher in
            // Three for each of the ten at the own host, and the two that are held.
            _ = try await bench.sender.requests(count: 32)
            while bench.sender.exchanges.count(where: { $0.outcome != nil }) < 30 {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(bench.sender.exchanges.count { $0.request.host == .development } == 2)
            // One of those that wait goes meanwhile: it holds up no other.
            for number in 11..<21 where bench.sender.requests(to: Samples.token(number)).isEmpty {
                try await bench.store.registry.removeDevice(DeviceID(token: Samples.token(number)))
                break
            }
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answerAll(.delivered(apnsID: ""))
            try await bench.drained()
        }
        #expect(bench.sender.count == 57)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test(
        "A success at the host that is not the operator's own does not end a pause",
        arguments: [(DeviceRecord.Environment.production, false), (.development, true)])
    func gate(own: DeviceRecord.Environment, opens: Bool) async throws {
        let token = String.hex(Samples.token(1))
        let bench = try await bench(.init(.development, isSaid: true), own: own) { request, _ in
            request.deviceToken == token ? nil : .configurationRefused(.invalidProviderToken)
        }
        try await bench.register(2..<3)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            let requests = try await bench.sender.requests(count: 2)
            while await dispatcher.trouble(of: .apns) == nil {
                try Task.checkCancellation()
                await Task.yield()
            }
            // While the pause lasts, an answer belongs to what was sent before it began.
            bench.advance(dispatcher, by: .seconds(6))
            let held = try #require(requests.first { $0.deviceToken == token })
            bench.sender.use { _, _ in .configurationRefused(.invalidProviderToken) }
            bench.sender.answer(held.id, .delivered(apnsID: held.id))
            try await bench.settled(dispatcher) { $0 >= 2 }
        }
        #expect(bench.log.events.contains { $0.text.contains("push.sending.resumed") } == opens)
        #expect(bench.sender.requests(to: Samples.token(1)).count == 1)
    }
}
