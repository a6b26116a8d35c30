import Hummingbird
import NIOCore

/// What is known of a request besides itself: who sent it, and over what.
struct APIRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil in tests without a socket.
    let remoteAddress: SocketAddress?
    /// The connection.
    let channel: any Channel
    /// The answer's `x-request-id`; empty before `RequestIDMiddleware`.
    var requestID = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        remoteAddress = source.channel.remoteAddress
    }
}
