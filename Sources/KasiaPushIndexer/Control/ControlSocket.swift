#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The Unix socket in the store's directory through which commands reach the process that has the store.
///
/// The file system decides who may use it: with mode 0600, only its owner and root. Nothing listens on the network.
struct ControlSocket: Sendable {
    /// The socket's name beside RocksDB's files, which ignores it.
    static let name = "control.sock"
    /// The longest path: what fits into `sun_path` with the terminating zero.
    static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// A failed system call.
    struct Failure: Error, CustomStringConvertible {
        let call: String
        let code: CInt
        var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    /// Where the socket is.
    let path: String

    /// Errors: the path is longer than a socket's may be.
    init(storePath: String) throws {
        path = storePath + (storePath.hasSuffix("/") ? "" : "/") + ControlSocket.name
        guard path.utf8.count <= ControlSocket.maximumPathBytes else {
            throw StartError(
                description: "\(path) is longer than the \(ControlSocket.maximumPathBytes) bytes of a socket's path")
        }
    }

    /// A listening socket's descriptor.
    ///
    /// The caller has the store, so an existing socket is left from a process that has ended.
    func makeListener() throws -> CInt {
        let descriptor = try ControlSocket.open()
        do {
            unlink(path)
            // Before the file is made, so that it is never open to others. On Linux the file gets the descriptor's
            // mode.
            try ControlSocket.check("fchmod", fchmod(descriptor, 0o600))
            try withAddress { address, length in
                try ControlSocket.check("bind", bind(descriptor, address, length))
            }
            try ControlSocket.check("chmod", chmod(path, 0o600))
            try ControlSocket.check("listen", listen(descriptor, 16))
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// A connected socket's descriptor; nil if nobody listens there.
    func makeConnection() throws -> CInt? {
        let descriptor = try ControlSocket.open()
        do {
            try withAddress { address, length in
                try ControlSocket.check("connect", connect(descriptor, address, length))
            }
            return descriptor
        } catch let failure as Failure where [ENOENT, ECONNREFUSED, ENOTDIR].contains(failure.code) {
            close(descriptor)
            return nil
        } catch {
            close(descriptor)
            throw error
        }
    }

    func remove() { unlink(path) }

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func open() throws -> CInt {
        #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        try check("socket", descriptor)
        return descriptor
    }

    private static func check(_ call: String, _ result: CInt) throws {
        guard result >= 0 else { throw Failure(call: call, code: errno) }
    }
}
