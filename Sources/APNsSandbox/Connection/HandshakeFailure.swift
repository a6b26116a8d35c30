import NIOCore

/// Answers a ClientHello with a fatal alert.
final class HandshakeFailure: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// RFC 8446: record type alert (21), version 3.3, two bytes: fatal (2), handshake_failure (40).
    private static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: Self.alert)), promise: nil)
        context.close(promise: nil)
    }
}
