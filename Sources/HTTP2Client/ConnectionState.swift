/// How many requests one connection may carry: "until the first request on a connection has been answered with success,
/// only one stream may be open on it" (Apple), and never more than the server's SETTINGS allow.
///
/// Other push services have no such rule; for them a connection is open from the beginning.
///
/// It belongs to one socket. When that ends, the next socket has a state of its own, and has to be proved again.
struct ConnectionState: Equatable {
    /// `proving` → `open` (a success) → `retired`; `proving` → `retired`.
    ///
    /// Nothing leads back.
    enum Phase: Equatable {
        /// No success yet: one request at a time.
        case proving
        /// As many as there are streams.
        case open
        /// No new request; those in flight may end.
        case retired
    }

    /// How a request ended, as far as its connection is concerned.
    enum Ending: Equatable {
        /// 200 to 299.
        case success
        /// Another answer, or a failure of this stream alone.
        case noSuccess
        /// The connection is gone, or cannot be trusted any more.
        case connectionLost
    }

    private(set) var phase: Phase
    private(set) var inFlight = 0
    /// Our own limit.
    let streams: Int
    /// The server's; nil before its SETTINGS, which nothing is sent before.
    var serverStreams: Int?

    /// `proves`: one request at a time until the first success.
    init(streams: Int, proves: Bool = true) {
        self.streams = streams
        phase = proves ? .proving : .open
    }

    /// How many more requests may be started now.
    var room: Int {
        let limit = min(streams, serverStreams ?? 0)
        return switch phase {
        case .proving: max(0, min(1, limit) - inFlight)
        case .open: max(0, limit - inFlight)
        case .retired: 0
        }
    }

    /// Whether nothing is in flight and nothing will be again.
    var isFinished: Bool { phase == .retired && inFlight == 0 }

    /// A request was started; only while there is ``room``.
    mutating func requestStarted() {
        precondition(room > 0, "a request was started that there was no room for")
        inFlight += 1
    }

    /// A started request ended.
    mutating func requestEnded(_ ending: Ending) {
        precondition(inFlight > 0, "a request ended that was not started")
        inFlight -= 1
        switch (ending, phase) {
        case (.success, .proving): phase = .open
        case (.connectionLost, _): phase = .retired
        default: break
        }
    }

    /// The connection takes nothing new from now on.
    mutating func retire() { phase = .retired }
}
