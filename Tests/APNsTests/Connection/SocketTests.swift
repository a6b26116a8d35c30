import CCurl
import Glibc
import Testing

@Suite("Sockets of a connection")
struct SocketTests {
    /// Two ends on this machine; ours is one that libcurl would open and close.
    private final class Ends {
        let sockets = UnsafeMutablePointer<ccurl_sockets>.allocate(capacity: 1)
        let ours: CInt
        let theirs: CInt

        init() throws {
            ccurl_sockets_init(sockets)
            let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            try #require(isListening)
            ours = SocketTests.open(sockets)
            let isConnected = withUnsafePointer(to: &address) { [ours] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(ours, $0, length) == 0 }
            }
            try #require(isConnected)
            theirs = accept(listener, nil, nil)
            // As libcurl has it: nothing waits for an acknowledgement.
            var on: CInt = 1
            setsockopt(ours, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        }

        func write(_ byte: UInt8) -> Bool { withUnsafeBytes(of: byte) { send(ours, $0.baseAddress, 1, 0) } == 1 }

        /// Whether something arrives within so many milliseconds.
        func hasArrived(within milliseconds: CInt) -> Bool {
            var descriptor = pollfd(fd: theirs, events: Int16(POLLIN), revents: 0)
            return poll(&descriptor, 1, milliseconds) == 1
        }

        func read() -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = recv(theirs, &bytes, bytes.count, 0)
            return Array(bytes.prefix(max(0, count)))
        }

        deinit {
            close(theirs)
            _ = ccurl_close_socket(sockets, ours)
            sockets.deallocate()
        }
    }

    private static func open(_ sockets: UnsafeMutablePointer<ccurl_sockets>) -> curl_socket_t {
        var address = curl_sockaddr()
        address.family = AF_INET
        address.socktype = CInt(SOCK_STREAM.rawValue)
        return ccurl_open_socket(sockets, &address, 1_000)
    }

    private static func noted(_ sockets: UnsafeMutablePointer<ccurl_sockets>) -> [curl_socket_t] {
        let (first, second, third, fourth) = sockets.pointee.open
        return [first, second, third, fourth].filter { $0 >= 0 }
    }

    @Test("What is written bit by bit while it is corked arrives at once, in one piece")
    func corked() throws {
        let ends = try Ends()
        // Whoever sleeps for 200 ms between two lines finds that the system has waited long enough: then once more.
        let arrivedTogether = (0..<50).contains { _ in
            ccurl_cork(ends.sockets, 1)
            let isWritten = ends.write(1) && !ends.hasArrived(within: 0) && ends.write(2)
            ccurl_cork(ends.sockets, 0)
            guard ends.hasArrived(within: 60_000) else { return false }
            return ends.read() == [1, 2] && isWritten
        }
        #expect(arrivedTogether)
    }

    @Test("Without a cork nothing waits, nor after it")
    func uncorked() throws {
        let ends = try Ends()
        for _ in 0..<2 {
            try #require(ends.write(7) && ends.hasArrived(within: 60_000))
            #expect(ends.read() == [7])
            ccurl_cork(ends.sockets, 1)
            ccurl_cork(ends.sockets, 0)
        }
    }

    @Test("A closed socket is forgotten, and leaves its place to the next", arguments: [3, 4, 5])
    func places(_ count: Int) {
        let sockets = UnsafeMutablePointer<ccurl_sockets>.allocate(capacity: 1)
        defer { sockets.deallocate() }
        ccurl_sockets_init(sockets)
        let open = (0..<count).map { _ in Self.open(sockets) }
        #expect(open.allSatisfy { $0 >= 0 } && Self.noted(sockets) == Array(open.prefix(4)))
        ccurl_cork(sockets, 1)
        for descriptor in open { #expect(ccurl_close_socket(sockets, descriptor) == 0) }
        #expect(Self.noted(sockets).isEmpty)
        let next = Self.open(sockets)
        #expect(Self.noted(sockets) == [next])
        #expect(ccurl_close_socket(sockets, next) == 0)
    }
}
