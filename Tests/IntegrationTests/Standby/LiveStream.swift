import NIOCore
import NIOPosix
import Synchronization

/// A client of the live stream of activity over a connection of its own, as an app that is open.
final class LiveStream: Sendable {
    private struct State {
        var text = ""
        var isOver = false
    }

    private let channel: any Channel
    private let state = Mutex(State())

    /// Asks for what came after an event, or from the beginning.
    init(of address: String, after id: String = "0-", port: Int) async throws {
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(60))
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.pipeline.addHandler(Collector(self)).get()
        let path = "/v1/activity/stream?address=\(address)&last_event_id=\(id)"
        try await channel.writeAndFlush(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n"))
    }

    /// The ids of the events that have come, in order: each write of the server holds whole lines.
    var ids: [String] {
        state.withLock { $0.text }.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id: ") }
            .map { String($0.dropFirst(4)) }
    }

    /// Whether the server has ended the connection.
    var isOver: Bool { state.withLock { $0.isOver } }

    func close() async { try? await channel.close() }

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let stream: LiveStream

        init(_ stream: LiveStream) { self.stream = stream }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: unwrapInboundIn(data))
            stream.state.withLock { $0.text += text }
        }

        func channelInactive(context: ChannelHandlerContext) { stream.state.withLock { $0.isOver = true } }
    }
}
