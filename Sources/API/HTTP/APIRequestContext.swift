import Hummingbird
import NIOCore

/// The context of a request: its client, its connection and its id.
struct APIRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The remote address; nil in tests without a socket.
    let remoteAddress: SocketAddress?
    /// The connection.
    let channel: any Channel
    /// The answer's `x-request-id`; empty until `RequestIDMiddleware` sets it.
    var requestID = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        remoteAddress = source.channel.remoteAddress
    }
}
