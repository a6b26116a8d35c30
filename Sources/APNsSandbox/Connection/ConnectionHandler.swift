import FoundationEssentials
import Logging
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One client's HTTP/2 connection, frame by frame.
///
/// NIO's stream multiplexer is not used: a channel for each stream would cost more than a request, and a script could
/// not send frames of its own. Everything here runs on the connection's event loop.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = Never
    typealias OutboundOut = HTTP2Frame

    /// The bytes of a body that are read beyond the limit before the request is answered early.
    static let bodyTolerance = 64 * 1024
    /// The connection's flow-control window: more than a thousand requests of the largest size.
    static let connectionWindow = 8 * 1024 * 1024
    /// HTTP/2's initial window.
    private static let defaultWindow = 65_535

    let core: SandboxCore
    let number: Int
    let transport: TransportHandle
    var context: ChannelHandlerContext?
    var streams: [HTTP2StreamID: OpenStream] = [:]
    var facts: ConnectionFacts
    var limit: StreamLimit
    var highestSeen = 0
    var highestAnswered = 0
    var goAwayLast: Int?
    var closesWhenIdle = false
    private var unacknowledgedBytes = 0
    private var isReading = false
    private var streamFaultWasAnswered = false
    private var isWriting = false

    init(
        core: SandboxCore, environment: SandboxEnvironment?, number: Int, limit: StreamLimit,
        transport: TransportHandle
    ) {
        self.core = core
        facts = ConnectionFacts(environment: environment)
        self.number = number
        self.limit = limit
        self.transport = transport
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let increment = Self.connectionWindow - Self.defaultWindow
        send(.windowUpdate(windowSizeIncrement: increment), on: .rootStream)
        flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        for id in streams.keys.sorted() { endUnanswered(id, .abandoned) }
        core.connectionEnded(number)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers): headersArrived(headers, on: frame.streamID)
        case .data(let data): dataArrived(data, on: frame.streamID)
        default: break  // PING and SETTINGS are answered by the library; RST_STREAM comes as StreamClosedEvent.
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.flush()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let closed = event as? StreamClosedEvent {
            endUnanswered(closed.streamID, .abandoned)
            closeIfIdle()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let command = event as? ConnectionCommand else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch command {
        case .goAway(let goAway): sendGoAway(goAway)
        case .close: cut()
        case .maximumStreams(let count):
            limit.ceiling = count
            announceLimit()
        }
        closeIfIdle()
        promise?.succeed(())
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An error that NIO answered with RST_STREAM concerns one stream. Any other ends the connection.
        if streamFaultWasAnswered {
            streamFaultWasAnswered = false
            return
        }
        core.logger.debug("Connection failed", metadata: ["connection": "\(number)", "error": "\(error)"])
        context.close(promise: nil)
    }

    // MARK: Requests

    private func headersArrived(_ headers: HTTP2Frame.FramePayload.Headers, on id: HTTP2StreamID) {
        highestSeen = max(highestSeen, Int(id))
        if streams[id] == nil {
            streams[id] = OpenStream(request: IncomingRequest(headers.headers, routes: core.routes))
        }
        if headers.endStream { requestArrived(on: id, isComplete: true) }
    }

    private func dataArrived(_ data: HTTP2Frame.FramePayload.Data, on id: HTTP2StreamID) {
        acknowledge(data.data.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0))
        guard case .receiving? = streams[id]?.phase, case .byteBuffer(let bytes) = data.data else { return }
        streams[id]?.request.append(bytes)
        if data.endStream {
            requestArrived(on: id, isComplete: true)
        } else if let request = streams[id]?.request, request.exceedsLimit(by: Self.bodyTolerance) {
            requestArrived(on: id, isComplete: false)
        }
    }

    /// Returns the flow-control window to the client, in large steps.
    private func acknowledge(_ bytes: Int) {
        unacknowledgedBytes += bytes
        guard unacknowledgedBytes >= Self.connectionWindow / 2 else { return }
        send(.windowUpdate(windowSizeIncrement: unacknowledgedBytes), on: .rootStream)
        unacknowledgedBytes = 0
    }

    private func requestArrived(on id: HTTP2StreamID, isComplete: Bool) {
        guard var stream = streams[id], case .receiving = stream.phase else { return }
        stream.isComplete = isComplete
        stream.phase = .answering
        if stream.request.isControl {
            streams[id] = stream
            let answer = core.control.answer(to: stream.request, from: number)
            return respond(answer, on: id)
        }
        let now = core.configuration.now()
        let reading = core.read(stream.request, on: &facts, connection: number, stream: Int(id), at: now)
        stream.entry = reading.entry
        stream.messageID = reading.entry.id
        stream.delivers = reading.delivers
        streams[id] = stream
        if let refusal = reading.refusal {
            answer(refusal, on: id)
        } else if let rule = core.strike(reading.entry) {
            obey(rule, on: id)
        } else {
            answer(.usual(stream.request.carrier), on: id)
        }
    }

    // MARK: Frames

    /// Writes a frame.
    ///
    /// ``flush()`` or the end of the read sends it.
    func send(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID) {
        isWriting = true
        context?.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
        isWriting = false
    }

    /// Flushes, except during a read, whose end flushes everything at once.
    func flush() {
        if !isReading { context?.flush() }
    }

    func announceLimit() {
        guard let count = limit.change() else { return }
        send(.settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: count)])), on: .rootStream)
        flush()
    }
}

extension ConnectionHandler: NIOHTTP2FrameDelegate {
    func wroteFrame(_ frame: HTTP2Frame) {
        if case .rstStream = frame.payload, !isWriting { streamFaultWasAnswered = true }
    }
}
