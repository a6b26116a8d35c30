import NIOCore
import NIOHTTP2
import NIOSSL

/// Builds a new connection's pipeline (socket, TLS, HTTP/2, `ConnectionHandler`), or refuses the connection.
struct ConnectionSetup: Sendable {
    let core: SandboxCore
    let tls: NIOSSLContext
    /// The host that the port stands in for; nil for both.
    let environment: SandboxEnvironment?

    /// Frames of one kind tolerated at once: libcurl sends RST_STREAM after every request.
    private static let rateLimitCount = 4096
    /// Recently reset streams whose late frames are not an error: several times the usual limit.
    private static let recentlyResetStreams = 4096

    func configure(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard core.admit(channel) else { return channel.close() }
        switch core.currentRefusal() {
        case .close: return channel.close()
        case .alert:
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(HandshakeFailure())
            }
        case .silence: return channel.eventLoop.makeSucceededVoidFuture()
        case nil: break
        }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([TransportHandle(), NIOSSLServerHandler(context: tls)])
        }.flatMap {
            channel.configureHTTP2SecureUpgrade(
                h2ChannelConfigurator: configureHTTP2,
                // Apple supports only HTTP/2.
                http1ChannelConfigurator: { $0.close() })
        }
    }

    @Sendable
    private func configureHTTP2(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let transport = try pipeline.handler(type: TransportHandle.self)
            let (number, limit) = core.connectionBegan(channel)
            let handler = ConnectionHandler(
                core: core, environment: environment, number: number, limit: limit, transport: transport)
            try pipeline.addHandler(makeHTTP2Handler(maximumStreams: limit.announced, delegate: handler))
            try pipeline.addHandler(handler)
        }
    }

    private func makeHTTP2Handler(maximumStreams: Int, delegate: ConnectionHandler) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maximumStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: HPACKDecoderLimit.headerListBytes),
            HTTP2Setting(parameter: .initialWindowSize, value: IncomingRequest.largestControlBody * 2),
        ]
        connection.maximumRecentlyResetStreams = Self.recentlyResetStreams
        connection.maximumSequentialEmptyDataFrames = 100
        // The library's defence against floods counts within a window. A window of nothing turns it off: a client
        // under load sends thousands of resets a second, and a stand-in on loopback has no enemies.
        connection.maximumConnectionGlitches = .max
        connection.controlFrameRateLimit.maximumCount = Self.rateLimitCount
        connection.controlFrameRateLimit.windowLength = .zero
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.streamResetFrameRateLimit.maximumCount = Self.rateLimitCount
        stream.streamResetFrameRateLimit.windowLength = .zero
        stream.streamErrorRateLimit.maximumCount = Self.rateLimitCount
        stream.streamErrorRateLimit.windowLength = .zero
        return NIOHTTP2Handler(
            mode: .server, frameDelegate: delegate, connectionConfiguration: connection,
            streamConfiguration: stream)
    }
}

/// Bytes of headers in one request, as NIO's own default has it.
private enum HPACKDecoderLimit {
    static let headerListBytes = 16 * 1024
}

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

/// Stands below TLS, so that a connection can be cut without TLS's close_notify.
final class TransportHandle: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    /// Closes the socket.
    ///
    /// What is flushed but not sent is lost.
    func cut() {
        context?.close(mode: .all, promise: nil)
    }
}
