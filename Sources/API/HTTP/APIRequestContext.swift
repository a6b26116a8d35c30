import Hummingbird
import NIOCore

/// What is known of a request besides itself: who sent it.
struct APIRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil in tests without a socket.
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
