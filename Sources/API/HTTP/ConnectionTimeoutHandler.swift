import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Enforces the time limits of a connection: of a request's body (408), and of a client that does not read its answers
/// (the connection is closed).
///
/// It also answers 431 when the parser refuses the headers as too large. It stands between the parser and the server on
/// each connection.
final class ConnectionTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long a client may read nothing once the server is stopping.
    static let writeTimeoutAtStop = Duration.seconds(5)

    private let bodyTimeout: TimeAmount
    private var writeTimeout: TimeAmount
    private var isStopping = false
    private var bodyDeadline: Scheduled<Void>?
    /// When the connection of a client that reads nothing is closed; nil while more can be written.
    private var writeDeadline: Scheduled<Void>?
    /// Requests whose answer is not complete.
    ///
    /// Nothing else may be written meanwhile.
    private var unanswered = 0
    private var isAnswering = false

    /// `writeTimeout` is how long a client may read nothing.
    init(bodyTimeout: Duration, writeTimeout: Duration) {
        self.bodyTimeout = TimeAmount(bodyTimeout)
        self.writeTimeout = TimeAmount(writeTimeout)
    }

    /// Without this limit, a client that reads nothing would hold its connection for ever: the server waits until it
    /// can write more, without a time limit.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        limitWriting(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            writeTimeout = min(writeTimeout, TimeAmount(Self.writeTimeoutAtStop))
            limitWriting(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func limitWriting(_ context: ChannelHandlerContext) {
        writeDeadline?.cancel()
        writeDeadline = nil
        guard !context.channel.isWritable else { return }
        scheduleWriteDeadline(context, Self.waitingBytes(context))
    }

    private func scheduleWriteDeadline(_ context: ChannelHandlerContext, _ before: Int?) {
        writeDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: writeTimeout) { [self] in
            writeDeadline = nil
            let now = Self.waitingBytes(context)
            // A slow client that still reads may continue, except while the server is stopping.
            if !isStopping, let before, let now, now < before { return scheduleWriteDeadline(context, now) }
            context.close(promise: nil)
        }
    }

    /// The bytes that are written and not yet sent.
    private static func waitingBytes(_ context: ChannelHandlerContext) -> Int? {
        try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            bodyDeadline?.cancel()
            bodyDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: bodyTimeout) { [self] in
                bodyDeadline = nil
                guard !isAnswering, unanswered == 1 else { return context.close(promise: nil) }
                refuse(context, .requestTimeout, "the body takes too long")
                context.close(promise: nil)
            }
        case .body: break
        case .end: endBody()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isAnswering = true
            return context.write(wrapOutboundOut(.head(named(head))), promise: promise)
        case .body: break
        case .end:
            isAnswering = false
            unanswered -= 1
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case HTTPParserError.headerOverflow = error else { return context.fireErrorCaught(error) }
        guard unanswered == 0 else { return context.close(promise: nil) }
        refuse(context, .requestHeaderFieldsTooLarge, "the request line or the headers are too large")
        // Close only the output: with unread input, closing both would reset the connection and lose the answer.
        context.close(mode: .output, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endTimers()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { endTimers() }

    /// Adds a request id to an answer that did not pass the router.
    private func named(_ head: HTTPResponse) -> HTTPResponse {
        guard head.headerFields[.xRequestID] == nil else { return head }
        var head = head
        head.headerFields[.xRequestID] = RequestID.make()
        return head
    }

    private func endTimers() {
        endBody()
        writeDeadline?.cancel()
        writeDeadline = nil
    }

    private func endBody() {
        bodyDeadline?.cancel()
        bodyDeadline = nil
    }

    private func refuse(_ context: ChannelHandlerContext, _ status: HTTPResponse.Status, _ sentence: String) {
        let body = ByteBuffer(string: APIError(status: status, message: sentence).answer.text)
        let head = HTTPResponse(
            status: status,
            headerFields: [
                .contentType: "application/json", .contentLength: "\(body.readableBytes)", .connection: "close",
            ])
        context.write(wrapOutboundOut(.head(named(head))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

@available(*, unavailable)
extension ConnectionTimeoutHandler: Sendable {}
