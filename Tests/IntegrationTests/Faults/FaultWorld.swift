import APNsSandbox
import Foundation
import KaspadReplay
import Testing

/// The recorded blocks between the node and the sandbox, with Apple a little slow, for tests of one fault each.
struct FaultWorld: Sendable {
    let world: World
    let golden: GoldenNotifications

    /// The last block is `ahead` milliseconds later than the start: by default, no block is older than a registration.
    static func with(
        ahead: Int64 = 600_000, sandbox: @Sendable (inout SandboxConfiguration) -> Void = { _ in },
        _ body: @Sendable @escaping (FaultWorld) async throws -> Void
    ) async throws {
        let golden = try Fixture.goldenNotifications()
        try await World.with(
            Fixture.recording(),
            replay: { configuration in
                configuration.blockTimes = .moved
                let now = UInt64(Int64(ReplayConfiguration.wallClock()) + ahead)
                configuration.now = { now }
            },
            sandbox: sandbox
        ) { world in
            // So that some are always on their way.
            world.sandbox.addRule(SandboxRule(.accept, chance: 0.5, delay: .milliseconds(50)))
            try await body(FaultWorld(world: world, golden: golden))
        }
    }

    func registerAll(_ rest: RESTClient) async throws {
        for device in golden.devices { try await rest.register(device.registration) }
    }

    /// Returns when every golden notification has arrived; what came again came under the same name with the same body.
    func expectAll(mayRepeat: Bool) async throws {
        try await eventually("everything expected has been sent", within: .seconds(120)) {
            let sent = Set(world.sandbox.notifications.map(\.id))
            return golden.notifications.allSatisfy { sent.contains($0.apnsID) }
        }
        for again in Dictionary(grouping: world.sandbox.notifications, by: \.id).values where again.count > 1 {
            #expect(mayRepeat, "sent twice")
            #expect(again.allSatisfy { $0.body == again[0].body && $0.collapseID == again[0].collapseID })
        }
    }

    func expectAllRegistered(_ rest: RESTClient) async throws {
        for device in golden.devices {
            let isRegistered = try await rest.isRegistered(device.token)
            #expect(isRegistered, "\(device.name)")
        }
    }
}
