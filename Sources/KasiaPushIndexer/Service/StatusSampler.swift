import API
import ServiceLifecycle

/// Takes a sample for the status page's plots every ten seconds.
struct StatusSampler: Service {
    let board: StatusBoard

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: StatusBoard.interval)
                await board.sample()
            }
        }
    }
}
