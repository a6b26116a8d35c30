#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What to wait for on a socket.
struct SocketEvents: OptionSet {
    let rawValue: Int16

    static let readable = SocketEvents(rawValue: Int16(POLLIN))
    static let writable = SocketEvents(rawValue: Int16(POLLOUT))

    /// Waits until one of `events`, an error or the other side's end; false when `end` comes first.
    ///
    /// Signals do not end it. At least one look is taken, also when `end` is past.
    static func wait(for events: SocketEvents, on socket: Int32, until end: ContinuousClock.Instant) -> Bool {
        while true {
            var descriptor = pollfd(fd: socket, events: events.rawValue, revents: 0)
            // Rounded up, so that it does not spin through the last millisecond.
            let (seconds, attoseconds) = max(.zero, end - .now).components
            let milliseconds = Double(seconds) * 1000 + (Double(attoseconds) / 1e15).rounded(.up)
            switch poll(&descriptor, 1, Int32(min(milliseconds, 1e9))) {
            case 1...: return true
            case 0 where ContinuousClock.now >= end: return false
            case 0: continue
            default: precondition(errno == EINTR || errno == EAGAIN, "poll(2) on a socket fails with errno \(errno)")
            }
        }
    }
}
