import APNs
import Logging
import Push
import ServiceLifecycle

/// The dispatcher and the client it sends through: they stop together, so that the client's drain bounds the dispatcher's.
struct PushPipeline: Service {
    let dispatcher: PushNotificationActor
    let client: APNsClient

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            group.addTask { try await dispatcher.run() }
            try await group.waitForAll()
        }
    }
}
