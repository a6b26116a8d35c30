import Carriers
import Push
import ServiceLifecycle

/// The dispatcher, the ringer and the carriers.
///
/// They stop together, so that the carriers' drains bound theirs.
struct PushPipeline: Service {
    let dispatcher: Dispatcher
    let carriers: ConfiguredCarriers
    /// Rings through Apple; nil without `apns.*`.
    let ringer: Ringer?

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for carrier in carriers.all { group.addTask { try await carrier.run() } }
            group.addTask { try await dispatcher.run() }
            if let ringer { group.addTask { try await ringer.run() } }
            try await group.waitForAll()
        }
    }
}
