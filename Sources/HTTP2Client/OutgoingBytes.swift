/// Bytes on their way to the socket, so many at once that a write is worth its cost, and few enough that they wait for
/// the socket here no longer than they must.
///
/// With 4 KB a write, a request costs a seventh more processor time than with 16 KB; with 64 KB no less.
struct OutgoingBytes: ~Copyable {
    /// No frame is added to as many bytes.
    ///
    /// With one more request of the usual size they still fit into one TLS record of 16 KiB. What does not fit goes into
    /// a second one, with a write of its own.
    static let enough = 15_000

    /// At one address for good: OpenSSL wants what was blocked from the same place again.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: enough + Session.maximumFrameBytes, alignment: 16)
    private var start = 0
    private var end = 0
    /// The socket takes nothing now.
    private(set) var isBlocked = false

    deinit { buffer.deallocate() }

    /// Takes frames from the session if all of the earlier ones have left; whether there is something to send.
    ///
    /// `beginNext` gives the session its next request, if there is one. Asked only when nothing else is to be sent, it
    /// keeps a request's frames together, and requests out of the session while the socket is blocked.
    mutating func fill(from session: Session, beginNext: () -> Bool) throws(SessionFailure) -> Bool {
        guard start == end else { return true }
        (start, end) = (0, 0)
        while end < Self.enough {
            let count = try session.collect(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
            end += count
            if count == 0, !beginNext() { break }
        }
        return end > start
    }

    /// Offers all there is to the socket.
    mutating func send(by transport: CurlTransport) -> CurlTransport.Outcome {
        let outcome = transport.send(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
        if case .moved(let count) = outcome { start += count }
        isBlocked = outcome == .blocked
        return outcome
    }
}
