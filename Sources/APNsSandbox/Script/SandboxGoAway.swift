/// A GOAWAY frame: which requests are still answered, and why the server closes the connection.
public struct SandboxGoAway: Sendable, Equatable {
    /// The last stream that the server has processed or will process.
    ///
    /// Streams above it are never answered.
    public enum LastStream: Sendable, Equatable {
        /// 2^31-1: every stream that is open.
        case all
        /// The newest stream opened.
        case newest
        /// The highest stream answered so far: streams above it were not processed.
        case answered
        /// This stream id. An even one, which no client can open, means the odd one below it.
        case stream(Int)
    }

    /// The last stream that is processed.
    public var lastStream: LastStream
    /// The HTTP/2 error code; 0 is NO_ERROR.
    public var errorCode: UInt32
    /// The debug data; Apple sends `{"reason":"Shutdown"}`.
    public var debugData: String?
    /// Whether the connection is closed once the remaining streams are answered.
    public var closesConnection: Bool

    /// By default, a GOAWAY after which no pending request is answered.
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
