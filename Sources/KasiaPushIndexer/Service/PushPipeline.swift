import APNs
import Logging
import Push
import ServiceLifecycle

/// The dispatcher, the ringer and their APNs client.
///
/// They stop together, so that the client's drain bounds theirs.
struct PushPipeline: Service {
    let dispatcher: Dispatcher
    let ringer: Ringer
    let client: APNsClient

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { try await dispatcher.run() }
            group.addTask { try await ringer.run() }
            try await group.waitForAll()
        }
    }
}
