import Foundation

/// As much of HTTP as asking how a service on this machine is.
enum HTTPProbe {
    /// The status of `GET path`; nil while nobody answers.
    static func status(of path: String, port: UInt16) -> Int? {
        LocalHTTP(port: port).send("GET", path)?.status
    }

    /// A connection to a port of this machine, for the caller to close; nil if nobody listens there.
    static func connection(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0, withAddress(port, { connect(descriptor, $0, $1) == 0 }) else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        return descriptor
    }

    /// A port that nobody has at the moment.
    static func freePort() throws -> UInt16 {
        let port: UInt16? = withSocket { descriptor -> UInt16? in
            guard withAddress(0, { bind(descriptor, $0, $1) == 0 }) else { return nil }
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isKnown = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
            }
            return isKnown ? UInt16(bigEndian: address.sin_port) : nil
        }
        guard let port else { throw BenchmarkError("There is no free port.") }
        return port
    }

    private static func withSocket<Result>(_ body: (Int32) -> Result?) -> Result? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return body(descriptor)
    }

    /// Lends the loopback address with this port.
    private static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
