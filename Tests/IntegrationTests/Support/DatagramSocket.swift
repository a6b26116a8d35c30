import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A bound Unix datagram socket that keeps what comes: systemd's side of sd_notify.
final class DatagramSocket: Sendable {
    private let descriptor: CInt
    private let received = Mutex<[String]>([])

    /// Binds to a path, or after `@` to a name in the abstract namespace.
    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count + (bytes.first == 0 ? 0 : 1))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }

    /// All datagrams so far, in order.
    var messages: [String] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        return received.withLock { received in
            while true {
                let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
                guard count >= 0 else { return received }
                received.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
    }
}
