import Glibc

/// Ports of 127.0.0.1 for servers that must know theirs before they start.
package enum FreePort {
    /// A port that was free a moment ago, below those that the system gives to sockets which name none.
    package static func find() throws(PostgresServerError) -> UInt16 {
        guard let port = (0..<100).lazy.map({ _ in UInt16.random(in: 20_000..<32_000) }).first(where: isFree) else {
            throw PostgresServerError("There is no free port on 127.0.0.1.")
        }
        return port
    }

    private static func isFree(_ port: UInt16) -> Bool {
        // A process that another test starts at this moment must not keep the port.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return withAddress(port) { bind(descriptor, $0, $1) } == 0
    }

    /// Calls `body` with the address of a port of 127.0.0.1.
    static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
