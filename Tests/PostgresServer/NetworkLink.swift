import Foundation
import Glibc
import Synchronization

/// A port of 127.0.0.1 that leads to another one, as a network does that can be cut.
///
/// While it is cut, connections stay open and nothing passes, not even their ends; afterwards all of it does.
package final class NetworkLink: Sendable {
    /// Open or cut; bytes wait here.
    private final class Gate: Sendable {
        private let condition = NSCondition()
        /// Only under the condition's lock.
        private nonisolated(unsafe) var isCut = false

        func set(isCut: Bool) {
            condition.lock()
            self.isCut = isCut
            condition.broadcast()
            condition.unlock()
        }

        func pass() {
            condition.lock()
            while isCut { condition.wait() }
            condition.unlock()
        }
    }

    /// Both ends of a connection; closed when nothing is read from either any more.
    private final class Pair: Sendable {
        let (near, far): (Int32, Int32)

        init(_ near: Int32, _ far: Int32) { (self.near, self.far) = (near, far) }

        deinit {
            close(near)
            close(far)
        }
    }

    /// Where it begins.
    package let port: UInt16
    private let listener: Int32
    private let gate = Gate()

    /// Leads to a port from one that was free.
    package init(to target: UInt16) throws(PostgresServerError) {
        port = try FreePort.find()
        listener = Self.makeSocket()
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isBound = FreePort.withAddress(port) { [listener] in bind(listener, $0, $1) } == 0
        guard isBound, listen(listener, 64) == 0 else { throw PostgresServerError("Port \(port) cannot be opened.") }
        Thread.detachNewThread { [listener, gate] in
            while true {
                let near = accept(listener, nil, nil)
                guard near >= 0 else { break }
                _ = fcntl(near, F_SETFD, FD_CLOEXEC)
                // A wait of one connection must not hold up the next: each has threads of its own.
                Thread.detachNewThread { Self.join(near, to: target, gate) }
            }
            close(listener)
        }
    }

    deinit {
        gate.set(isCut: false)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Cuts it, or makes it whole again.
    package func set(isCut: Bool) { gate.set(isCut: isCut) }

    private static func join(_ near: Int32, to target: UInt16, _ gate: Gate) {
        gate.pass()
        let far = makeSocket()
        let pair = Pair(near, far)
        guard FreePort.withAddress(target, { connect(far, $0, $1) }) == 0 else { return }
        Thread.detachNewThread { pump(from: pair.far, to: pair.near, gate, pair) }
        pump(from: pair.near, to: pair.far, gate, pair)
    }

    /// Passes on what comes, until its end, which it passes on too.
    private static func pump(from source: Int32, to target: Int32, _ gate: Gate, _ pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            gate.pass()
            guard count > 0, write(buffer[..<count], to: target) else { break }
        }
        shutdown(target, Int32(SHUT_WR))
        withExtendedLifetime(pair) {}
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    private static func makeSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }
}
