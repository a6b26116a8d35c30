/// A GOAWAY frame: which requests are still answered, and why the server leaves.
public struct SandboxGoAway: Sendable, Equatable {
    /// The last stream that the server has processed or will process; streams above it are never answered.
    public enum LastStream: Sendable, Equatable {
        /// 2^31-1: every stream that is open.
        case all
        /// The newest stream seen.
        case newest
        /// The highest stream answered so far: what is in flight above it was not processed.
        case answered
        /// This stream id; an even one, which no client can open, means the odd one below it.
        case stream(Int)
    }

    /// The last stream that counts.
    public var lastStream: LastStream
    /// The HTTP/2 error code; 0 is NO_ERROR.
    public var errorCode: UInt32
    /// A text for the client's log, as Apple sends `{"reason":"Shutdown"}`.
    public var debugData: String?
    /// Whether the connection is closed once the streams that count have been answered.
    public var closesConnection: Bool

    /// A GOAWAY that processes nothing that is in flight, unless told otherwise.
    public init(
        lastStream: LastStream = .answered, errorCode: UInt32 = 0, debugData: String? = nil,
        closesConnection: Bool = true
    ) {
        self.lastStream = lastStream
        self.errorCode = errorCode
        self.debugData = debugData
        self.closesConnection = closesConnection
    }
}
