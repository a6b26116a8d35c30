import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An HTTP server of raw sockets on a free port of this machine: what it answers, and where it breaks off, is a test's.
///
/// Unchecked: what changes is only touched under the lock.
final class LocalServer: @unchecked Sendable {
    /// A request as it came.
    struct Request {
        var line: String
        /// By name in lower case.
        var headers: [String: String]
        var body: [UInt8]
    }

    /// A client's connection, on a thread of its own.
    struct Connection {
        fileprivate let descriptor: Int32

        /// Sends bytes at once; false once the client is gone.
        @discardableResult
        func send(_ bytes: some Collection<UInt8>) -> Bool {
            var rest = Array(bytes)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Waits until the client closes the connection.
        func waitForClose() {
            while readByte() != nil {}
        }

        fileprivate func readByte() -> UInt8? {
            var byte: UInt8 = 0
            return read(descriptor, &byte, 1) == 1 ? byte : nil
        }

        /// Reads a request; nil once the client is gone.
        fileprivate func request() -> Request? {
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard let byte = readByte() else { return nil }
                head.append(byte)
            }
            var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }
            var request = Request(line: lines.removeFirst(), headers: [:], body: [])
            for line in lines {
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2 { request.headers[parts[0].lowercased()] = parts[1] }
            }
            for _ in 0..<(Int(request.headers["content-length"] ?? "") ?? 0) {
                guard let byte = readByte() else { return nil }
                request.body.append(byte)
            }
            return request
        }
    }

    struct NoSocket: Error {
        let code = errno
    }

    /// The port that it listens on.
    let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var received: [Request] = []

    /// Calls `answer` on a thread for each request; a connection is closed when the call returns.
    ///
    /// One that does not listen keeps its port, where connections are refused.
    init(listens: Bool = true, answer: @escaping @Sendable (Request, Connection) -> Void) throws {
        // A client that is gone is an error of `write`, not a signal.
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard listener >= 0, isBound, !listens || listen(listener, 16) == 0 else { throw NoSocket() }
        port = UInt16(bigEndian: address.sin_port)
        if listens { Thread.detachNewThread { [self] in acceptAll(answer) } }
    }

    private func acceptAll(_ answer: @escaping @Sendable (Request, Connection) -> Void) {
        while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
            var yes: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            Thread.detachNewThread { [self] in
                let connection = Connection(descriptor: descriptor)
                if let request = connection.request() {
                    lock.withLock { received.append(request) }
                    answer(request, connection)
                }
                close(descriptor)
            }
        }
    }

    /// Takes no more connections.
    func stop() {
        // This ends `accept`. The number stays taken, so that no other socket gets it while a thread may use it.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The requests so far.
    var requests: [Request] { lock.withLock { received } }

    /// The server's address.
    var url: URL {
        get throws {
            guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw NoSocket() }
            return url
        }
    }
}
