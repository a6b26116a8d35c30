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
        var descriptor = pollfd(fd: socket, events: events.rawValue, revents: 0)
        wait(for: &descriptor, count: 1, until: end)
        return descriptor.revents != 0
    }

    /// The same for several sockets, until the first of them; returns on which of them there is something.
    static func wait(
        on awaited: [(socket: Int32, events: SocketEvents)], until end: ContinuousClock.Instant
    ) -> [Bool] {
        var descriptors = awaited.map { pollfd(fd: $0.socket, events: $0.events.rawValue, revents: 0) }
        wait(for: &descriptors, count: descriptors.count, until: end)
        return descriptors.map { $0.revents != 0 }
    }

    private static func wait(
        for descriptors: UnsafeMutablePointer<pollfd>, count: Int, until end: ContinuousClock.Instant
    ) {
        while true {
            // Rounded up, so that it does not spin through the last millisecond.
            let (seconds, attoseconds) = max(.zero, end - .now).components
            let milliseconds = Double(seconds) * 1000 + (Double(attoseconds) / 1e15).rounded(.up)
            let ready = poll(descriptors, nfds_t(count), Int32(min(milliseconds, 1e9)))
            if ready > 0 || ready == 0 && ContinuousClock.now >= end { return }
            precondition(
                ready == 0 || errno == EINTR || errno == EAGAIN, "poll(2) on a socket fails with errno \(errno)")
        }
    }
}
