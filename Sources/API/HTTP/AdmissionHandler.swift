import HTTPTypes
import Metrics
import NIOCore
import NIOHTTPTypes
import NIOSSL

/// Reads from a connection only once it is admitted, limits the time of a request's headers, and closes an idle
/// connection to make room.
///
/// It stands between the parser and the server on each connection.
final class AdmissionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Why the server closed a connection.
    private enum Reason: String {
        case clientLimit = "client_limit", evicted = "gave_way", slowHeaders = "slow_headers"
    }

    private enum State {
        case new
        case waiting(wantsRead: Bool)
        case admitted
        case closed
    }

    private let admission: ConnectionAdmission
    private let proxies: TrustedProxies
    private let headTimeout: TimeAmount
    private var context: ChannelHandlerContext?
    private var state = State.new
    /// Requests whose answer is not complete.
    private var unanswered = 0
    private var closesAfterAnswer = false
    private var deadline: Scheduled<Void>?

    /// `headTimeout` is the time limit of a request's headers, including the TLS handshake before the first.
    init(_ admission: ConnectionAdmission, proxies: TrustedProxies, headTimeout: Duration) {
        self.admission = admission
        self.proxies = proxies
        self.headTimeout = TimeAmount(headTimeout)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let pipeline = context.pipeline.syncOperations
        let bytes = ArrivingBytes(handler: self)
        if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
            try? pipeline.addHandler(bytes, position: .after(tls))
        } else {
            try? pipeline.addHandler(bytes, position: .first)
        }
    }

    func read(context: ChannelHandlerContext) {
        switch state {
        case .new: open(context)
        case .waiting: state = .waiting(wantsRead: true)
        case .admitted, .closed: context.read()
        }
    }

    private func open(_ context: ChannelHandlerContext) {
        state = .waiting(wantsRead: true)
        let remote = context.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let connection = ConnectionAdmission.Connection(
            id: ObjectIdentifier(self), client: remote.flatMap { proxies.isTrusted($0) ? nil : $0.limitKey },
            eventLoop: context.eventLoop,
            admit: {
                let (handler, context) = bound.value
                handler.admitted(context)
            },
            closeIfIdle: {
                let (handler, context) = bound.value
                if handler.unanswered == 0 { handler.close(context, .evicted) }
            })
        switch admission.connectionOpened(connection) {
        case .admitted: admitted(context)
        case .waiting: break
        case .refused:
            state = .closed
            close(context, .clientLimit)
        }
    }

    private func admitted(_ context: ChannelHandlerContext) {
        guard case .waiting(let wantsRead) = state else { return }
        state = .admitted
        limitHead(context)
        if wantsRead { context.read() }
    }

    /// Starts the time limit of the next request's headers.
    private func limitHead(_ context: ChannelHandlerContext) {
        guard deadline == nil else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: headTimeout) { [self] in
            deadline = nil
            close(context, .slowHeaders)
        }
    }

    /// Called when bytes have arrived, decrypted and not yet parsed.
    fileprivate func bytesArrived() {
        if case .admitted = state, unanswered == 0, let context { limitHead(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            endDeadline()
            unanswered += 1
            if unanswered == 1 { admission.requestBegan(ObjectIdentifier(self)) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // The client must make its next request on another connection.
            guard unanswered == 1, admission.needsRoom else { break }
            closesAfterAnswer = true
            head.headerFields[.connection] = "close"
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end:
            unanswered = max(0, unanswered - 1)
            guard unanswered == 0 else { break }
            // Idle only once the answer is sent in full: closing drops what is not sent.
            let sent = promise ?? context.eventLoop.makePromise()
            sent.futureResult.assumeIsolated().whenComplete { [self] _ in answered(context) }
            return context.write(data, promise: sent)
        }
        context.write(data, promise: promise)
    }

    private func answered(_ context: ChannelHandlerContext) {
        guard unanswered == 0, case .admitted = state else { return }
        let mustClose = admission.requestsEnded(ObjectIdentifier(self))
        if mustClose || closesAfterAnswer { close(context, .evicted) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        endAdmission()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endAdmission()
        self.context = nil
    }

    private func close(_ context: ChannelHandlerContext, _ reason: Reason) {
        Counter(label: "kasia_http_connections_closed_total", dimensions: [("reason", reason.rawValue)]).increment()
        context.close(promise: nil)
    }

    private func endDeadline() {
        deadline?.cancel()
        deadline = nil
    }

    private func endAdmission() {
        endDeadline()
        switch state {
        case .waiting, .admitted: admission.connectionClosed(ObjectIdentifier(self))
        case .new, .closed: break
        }
        state = .closed
    }
}

@available(*, unavailable)
extension AdmissionHandler: Sendable {}

/// Tells the handler that bytes of a request have arrived, before they are parsed.
private final class ArrivingBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let handler: AdmissionHandler

    init(handler: AdmissionHandler) {
        self.handler = handler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        handler.bytesArrived()
    }
}

@available(*, unavailable)
extension ArrivingBytes: Sendable {}
