package import NIOCore

/// Delays a listener's close until every connection that it accepted has reached its server.
///
/// NIO's async server channel passes an accepted connection through two event loops to its reader. If the listener
/// closes in between, the connection is dropped, and NIO traps because nobody finished its writer (swift-nio, issue
/// 2637). A request to close open connections also misses it. So a service that stops while clients connect would trap,
/// or wait for such a client. The handler goes first into the listener's pipeline. The task that reads the connections
/// must not be cancelled, but end with the listener.
package final class ListenerDrainHandler: ChannelDuplexHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel
    package typealias OutboundIn = Never

    private var arrivingCount = 0
    private var isClosing = false
    /// The closes that wait for arriving connections.
    private var closes: [(mode: CloseMode, promise: EventLoopPromise<Void>?)] = []

    package init() {}

    /// Installs the handler in a listener's pipeline.
    ///
    /// It can be called from any thread.
    package static func install(in listener: any Channel) -> EventLoopFuture<Void> {
        listener.eventLoop.submit {
            try listener.pipeline.syncOperations.addHandler(ListenerDrainHandler(), position: .first)
        }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = Self.unwrapInboundIn(data)
        arrivingCount += 1
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let arrival = Arrival(listener: context.eventLoop) {
            let (handler, context) = bound.value
            handler.arrived(connection, context)
        }
        connection.eventLoop.execute {
            do {
                try connection.pipeline.syncOperations.addHandler(arrival, position: .first)
            } catch {
                // Closed already.
                arrival.tell()
            }
        }
        context.fireChannelRead(data)
    }

    package func read(context: ChannelHandlerContext) {
        if !isClosing { context.read() }
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isClosing = true
        guard arrivingCount > 0 else { return context.close(mode: mode, promise: promise) }
        closes.append((mode, promise))
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        for close in closes { close.promise?.succeed() }
        closes = []
    }

    private func arrived(_ connection: any Channel, _ context: ChannelHandlerContext) {
        arrivingCount -= 1
        if isClosing { connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        guard arrivingCount == 0 else { return }
        let held = closes
        closes = []
        for (mode, promise) in held { context.close(mode: mode, promise: promise) }
    }
}

/// Reports once when its connection is active, which comes after NIO has passed it on, or closed.
private final class Arrival: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private let listener: any EventLoop
    private let told: @Sendable () -> Void

    init(listener: any EventLoop, told: @escaping @Sendable () -> Void) {
        self.listener = listener
        self.told = told
    }

    func tell() { listener.execute(told) }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // Its removal tells.
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) { tell() }
}
