import NIOCore

/// Sits below TLS, so that a connection can be cut without TLS's farewell.
final class TransportHandle: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    /// Closes the socket; what is flushed but not sent is lost.
    func cut() {
        context?.close(mode: .all, promise: nil)
    }
}
