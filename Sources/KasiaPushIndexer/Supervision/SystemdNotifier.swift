import API
import NIOCore
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reports the service's state to systemd by the protocol of sd_notify(3): datagrams to the socket in `NOTIFY_SOCKET`.
///
/// It does so without libsystemd, which would have to be installed on every machine.
struct SystemdNotifier: Sendable {
    /// A path, or `@` and a name in Linux's abstract namespace.
    let socket: String
    /// The watchdog interval; nil without a watchdog.
    let watchdogInterval: Duration?

    /// nil without a supervisor.
    ///
    /// `WATCHDOG_USEC` counts only for the process that `WATCHDOG_PID` names, if any.
    init?(environment: [String: String], processID: Int32 = getpid()) {
        guard let socket = environment["NOTIFY_SOCKET"], socket.first == "/" || socket.first == "@",
            (2...SystemdNotifier.maximumNameBytes).contains(socket.utf8.count)
        else { return nil }
        self.socket = socket
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(processID) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// The service is still starting, and reports again within this time.
    ///
    /// `status` is for `systemctl status`.
    func starting(_ status: String, within time: Duration) {
        send("STATUS=\(status)\nEXTEND_TIMEOUT_USEC=\(time.components.seconds * 1_000_000)")
    }

    /// The service is ready.
    func ready() { send("READY=1") }

    /// The service has begun to stop.
    func stopping() { send("STOPPING=1") }

    /// The service is reloading its configuration.
    ///
    /// `ready` ends that.
    func reloading() {
        // Type=notify-reload matches the answer to its signal by this clock.
        // NIO's deadlines count by CLOCK_MONOTONIC.
        send("RELOADING=1\nMONOTONIC_USEC=\(NIODeadline.now().uptimeNanoseconds / 1_000)")
    }

    /// The watchdog's keep-alive.
    ///
    /// `status` is for `systemctl status`.
    func alive(_ status: String) {
        send("WATCHDOG=1\nSTATUS=\(String(status.map { $0.isNewline ? " " : $0 }.prefix(500)))")
    }

    /// The longest name that fits into `sun_path`.
    private static let maximumNameBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Sends a datagram.
    ///
    /// If the supervisor is gone, it is lost.
    private func send(_ message: String) {
        #if canImport(Glibc)
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let flags = CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
        #else
        let descriptor = Darwin.socket(AF_UNIX, SOCK_DGRAM, 0)
        let flags = MSG_DONTWAIT
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero and ends with the address's length.
        let name = Array(socket.utf8).enumerated().map { $0 == 0 && $1 == UInt8(ascii: "@") ? 0 : $1 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let isAbstract = name.first == 0
        let nameOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = socklen_t(nameOffset + name.count + (isAbstract ? 0 : 1))
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, bytes, bytes.count, flags, $0, length)
            }
        }
    }
}

/// Sends systemd's keep-alive at half the watchdog interval, until everything else has stopped.
///
/// It is sent only after all parts have answered. If one hangs on a lock or an actor, none is sent, and systemd
/// restarts the service. A missing node or a refusal by Apple is no reason to restart, and only goes into the status
/// line.
struct WatchdogService: Service {
    let notifier: SystemdNotifier
    let interval: Duration
    let readiness: @Sendable () async -> Readiness

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let readiness = await readiness()
                notifier.alive(readiness.parts.map { "\($0.name): \($0.state)" }.joined(separator: ", "))
                try? await Task.sleep(for: interval / 2)
            }
        }
    }
}
