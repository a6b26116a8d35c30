import NIOCore
import Synchronization

/// Lets so many connections be read at once; the next wait, in the order of their coming, until one ends.
///
/// The server's own limit counts a connection only once its event loop has set it up, and lets a few more in meanwhile:
/// this one is exact.
final class ConnectionAdmission: Sendable {
    private struct State {
        var admitted = 0
        var waiting: [ObjectIdentifier: Waiter] = [:]
        var order: [ObjectIdentifier] = []
    }

    private struct Waiter: Sendable {
        let eventLoop: any EventLoop
        let admit: @Sendable () -> Void
    }

    private let maximum: Int
    private let state = Mutex(State())

    /// `maximum` is at least 1.
    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Connections that are read, and those that wait for their turn.
    var counts: (admitted: Int, waiting: Int) { state.withLock { ($0.admitted, $0.waiting.count) } }

    /// Whether the connection is let in at once; if not, `admit` is called on its event loop when it is.
    fileprivate func enter(
        _ connection: ObjectIdentifier, _ eventLoop: any EventLoop, admit: @escaping @Sendable () -> Void
    ) -> Bool {
        state.withLock { state in
            guard state.admitted >= maximum else {
                state.admitted += 1
                return true
            }
            state.waiting[connection] = Waiter(eventLoop: eventLoop, admit: admit)
            state.order.append(connection)
            return false
        }
    }

    /// The connection ended, whether it was let in or waited.
    fileprivate func leave(_ connection: ObjectIdentifier) {
        let next: Waiter? = state.withLock { state in
            if state.waiting.removeValue(forKey: connection) != nil {
                state.order.removeAll { $0 == connection }
                return nil
            }
            guard let first = state.order.first else {
                state.admitted -= 1
                return nil
            }
            state.order.removeFirst()
            return state.waiting.removeValue(forKey: first)
        }
        next.map { next in next.eventLoop.execute { next.admit() } }
    }
}

/// Nothing is read from a connection before its turn has come.
final class AdmissionHandler: ChannelOutboundHandler, ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private enum Turn {
        case notAsked
        case waiting(wantsRead: Bool)
        case come
        case over
    }

    private let admission: ConnectionAdmission
    private var turn = Turn.notAsked

    init(_ admission: ConnectionAdmission) {
        self.admission = admission
    }

    func read(context: ChannelHandlerContext) {
        switch turn {
        case .notAsked:
            turn = .waiting(wantsRead: true)
            let admit = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let isFree = admission.enter(ObjectIdentifier(self), context.eventLoop) {
                let (handler, context) = admit.value
                handler.admitted(context)
            }
            if isFree { admitted(context) }
        case .waiting: turn = .waiting(wantsRead: true)
        case .come, .over: context.read()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    private func admitted(_ context: ChannelHandlerContext) {
        guard case .waiting(let wantsRead) = turn else { return }
        turn = .come
        if wantsRead { context.read() }
    }

    private func leave() {
        switch turn {
        case .waiting, .come: admission.leave(ObjectIdentifier(self))
        case .notAsked, .over: break
        }
        turn = .over
    }
}

@available(*, unavailable)
extension AdmissionHandler: Sendable {}
