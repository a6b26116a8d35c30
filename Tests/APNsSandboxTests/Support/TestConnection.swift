import APNsSandbox
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// What a client sends.
struct TestRequest: Sendable {
    var method = "POST"
    var path: String
    var headers: [(String, String)] = []
    var body: [UInt8] = []
}

/// How a request ended, as the client sees it.
struct TestResponse: Sendable, Equatable {
    enum Ending: Sendable, Equatable {
        case complete
        case reset(Int)
        /// Above the last stream of a GOAWAY.
        case unprocessed
        case closed
    }

    var status = 0
    var headers: [String: String] = [:]
    var body = ""
    var ending = Ending.complete
}

/// A GOAWAY frame as it came.
struct TestGoAway: Sendable, Equatable {
    let last: Int
    let code: Int
    let debug: String
}

/// A real HTTP/2 client over TLS that shows the frames a client library would hide.
final class TestConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<TestConnectionHandler>

    private init(channel: any Channel, handler: NIOLoopBound<TestConnectionHandler>) {
        self.channel = channel
        self.handler = handler
    }

    /// Connects; returns once the server's first SETTINGS have arrived.
    static func open(
        port: Int, trusting authority: String, protocols: [String] = ["h2"], maximumTLS: TLSVersion? = nil
    ) async throws -> TestConnection {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let certificates = try NIOSSLCertificate.fromPEMBytes(Array(authority.utf8))
        configuration.trustRoots = .certificates(certificates)
        configuration.applicationProtocols = protocols
        configuration.maximumTLSVersion = maximumTLS
        if maximumTLS != nil { configuration.minimumTLSVersion = .tlsv1 }
        let tls = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(60))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    try pipeline.addHandler(NIOHTTP2Handler(mode: .client))
                    try pipeline.addHandler(TestConnectionHandler(eventLoop: channel.eventLoop))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let handler = try await channel.eventLoop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: TestConnectionHandler.self)
            return NIOLoopBound(handler, eventLoop: channel.eventLoop)
        }.get()
        let connection = TestConnection(channel: channel, handler: handler)
        try await connection.onLoop { $0.ready.futureResult }
        return connection
    }

    /// Sends a request now; the response comes when it comes.
    ///
    /// Requests keep the order of their calls.
    func start(_ request: TestRequest) -> EventLoopFuture<TestResponse> {
        let promise = channel.eventLoop.makePromise(of: TestResponse.self)
        channel.eventLoop.execute { [handler] in handler.value.send(request, promise) }
        return promise.futureResult
    }

    func send(_ request: TestRequest) async throws -> TestResponse {
        try await start(request).get()
    }

    /// The stream limits announced so far, once there are at least `count` of them.
    func streamLimits(count: Int) async throws -> [Int] {
        try await onLoop { $0.waitForLimits(count) }
    }

    /// The first GOAWAY.
    func goAway() async throws -> TestGoAway {
        try await onLoop { $0.goAway.futureResult }
    }

    /// Returns once the server has closed the connection.
    func closed() async throws {
        try await channel.closeFuture.get()
    }

    func close() async throws {
        try? await channel.close().get()
    }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (TestConnectionHandler) -> EventLoopFuture<Value>
    ) async throws -> Value {
        try await channel.eventLoop.flatSubmit { [handler] in body(handler.value) }.get()
    }
}

/// The frames of a ``TestConnection``, on its event loop.
final class TestConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let ready: EventLoopPromise<Void>
    let goAway: EventLoopPromise<TestGoAway>
    private let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    private var nextID = 1
    private var open: [HTTP2StreamID: (response: TestResponse, promise: EventLoopPromise<TestResponse>)] = [:]
    private var limits: [Int] = []
    private var limitWaiters: [(count: Int, promise: EventLoopPromise<[Int]>)] = []

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        ready = eventLoop.makePromise()
        goAway = eventLoop.makePromise()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelInactive(context: ChannelHandlerContext) {
        let error = ChannelError.eof
        ready.fail(error)
        goAway.fail(error)
        for waiter in limitWaiters { waiter.promise.fail(error) }
        for id in open.keys { finish(id, .closed) }
        self.context = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready.fail(error)
        context.close(promise: nil)
    }

    func send(_ request: TestRequest, _ promise: EventLoopPromise<TestResponse>) {
        guard let context else { return promise.succeed(TestResponse(ending: .closed)) }
        let id = HTTP2StreamID(nextID)
        nextID += 2
        open[id] = (TestResponse(), promise)
        var headers = HPACKHeaders([
            (":method", request.method), (":path", request.path), (":scheme", "https"), (":authority", "localhost"),
        ])
        headers.add(contentsOf: HPACKHeaders(request.headers))
        let isEmpty = request.body.isEmpty
        write(.headers(.init(headers: headers, endStream: isEmpty)), on: id)
        if !isEmpty {
            write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: request.body)), endStream: true)), on: id)
        }
        context.flush()
    }

    func waitForLimits(_ count: Int) -> EventLoopFuture<[Int]> {
        let promise = eventLoop.makePromise(of: [Int].self)
        limitWaiters.append((count, promise))
        wakeLimitWaiters()
        return promise.futureResult
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let payload):
            for (name, value, _) in payload.headers { open[frame.streamID]?.response.headers[name] = value }
            if let status = payload.headers.first(name: ":status") {
                open[frame.streamID]?.response.status = Int(status) ?? 0
            }
            if payload.endStream { finish(frame.streamID, .complete) }
        case .data(let payload):
            if case .byteBuffer(let bytes) = payload.data {
                open[frame.streamID]?.response.body += String(buffer: bytes)
            }
            if payload.endStream { finish(frame.streamID, .complete) }
        case .rstStream(let code): finish(frame.streamID, .reset(Int(http2ErrorCode: code)))
        case .goAway(let last, let code, let debug):
            goAway.succeed(
                TestGoAway(
                    last: Int(last), code: Int(http2ErrorCode: code), debug: debug.map { String(buffer: $0) } ?? ""))
            for id in open.keys where id > last { finish(id, .unprocessed) }
        case .settings(.settings(let settings)):
            limits += settings.filter { $0.parameter == .maxConcurrentStreams }.map(\.value)
            ready.succeed()
            wakeLimitWaiters()
        default: break
        }
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID) {
        context?.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
    }

    private func finish(_ id: HTTP2StreamID, _ ending: TestResponse.Ending) {
        guard var entry = open.removeValue(forKey: id) else { return }
        entry.response.ending = ending
        entry.promise.succeed(entry.response)
    }

    private func wakeLimitWaiters() {
        for waiter in limitWaiters where waiter.count <= limits.count { waiter.promise.succeed(limits) }
        limitWaiters.removeAll { $0.count <= limits.count }
    }
}
