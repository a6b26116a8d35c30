import NIOCore
import Synchronization

/// The TCP connections of a node, so that one that says nothing does not hold up a node that stops.
///
/// gRPC waits without end for a client's answer to its farewell.
final class ReplayConnections: Sendable {
    private static let grace = TimeAmount.seconds(1)

    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isStopping = false
    }

    private let state = Mutex(State())

    func add(_ connection: any Channel) {
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = connection
            return state.isStopping
        }
        connection.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(connection)) }
        }
        if isStopping { closeAfterGrace(connection) }
    }

    /// Closes all, and all that still come, when the others have had time to part well.
    func stop() {
        let open = state.withLock { state in
            state.isStopping = true
            return state.open.values.map { $0 }
        }
        open.forEach(closeAfterGrace)
    }

    private func closeAfterGrace(_ connection: any Channel) {
        connection.eventLoop.scheduleTask(in: Self.grace) { connection.close(promise: nil) }
    }
}
