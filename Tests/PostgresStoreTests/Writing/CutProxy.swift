import Foundation
import Glibc
import Synchronization

/// Stands between a client and a server's Unix socket, and cuts connections after a certain byte.
final class CutProxy: Sendable {
    /// Which way the bytes go that are counted.
    enum Side: CaseIterable { case request, answer }

    /// What the server sees of a cut.
    enum ServerEnd: CaseIterable {
        /// The client's end, at once.
        case closed
        /// Nothing: it waits for the rest.
        case leftOpen
        /// Nothing, and the rest of what was sent comes later.
        case hearsLate
    }

    struct Cut {
        var side: Side
        /// So many bytes pass before it.
        var after: Int
        var serverEnd: ServerEnd
    }

    private struct State {
        var cuts: [Cut] = []
        /// Bytes towards the first of the cuts.
        var passed = 0
        var total: [Side: Int] = [:]
        var last = Side.answer
        var turns = 0
    }

    private final class Wires: Sendable {
        let state = Mutex(State())

        /// How many of some bytes pass, and the cut that comes then.
        func pass(_ count: Int, _ side: Side) -> (Int, Cut?) {
            state.withLock { state in
                state.total[side, default: 0] += count
                if side == .request, state.last == .answer { state.turns += 1 }
                state.last = side
                guard let cut = state.cuts.first, cut.side == side else { return (count, nil) }
                guard state.passed + count > cut.after else {
                    state.passed += count
                    return (count, nil)
                }
                let passing = cut.after - state.passed
                state.cuts.removeFirst()
                state.passed = 0
                return (passing, cut)
            }
        }
    }

    /// Both ends of a connection; they are closed when nothing is read from either any more.
    private final class Pair: Sendable {
        let (client, server): (Int32, Int32)
        let leavesServer = Atomic(false)

        init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

        deinit {
            close(client)
            close(server)
        }
    }

    /// The folder with the socket to connect to.
    let folder: String
    private let listener: Int32
    private let wires = Wires()

    init(to target: String) throws {
        var template = Array("/tmp/kproxy.XXXXXX".utf8CString)
        _ = mkdtemp(&template)
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        listener = CutProxy.makeSocket()
        guard CutProxy.with("\(folder)/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else {
            throw CocoaError(.fileWriteUnknown)
        }
        Thread.detachNewThread { [listener, wires] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                let server = CutProxy.makeSocket()
                guard CutProxy.with(target, { connect(server, $0, $1) }) == 0 else {
                    close(client)
                    close(server)
                    continue
                }
                let pair = Pair(client, server)
                Thread.detachNewThread { CutProxy.pump(wires, pair, .request) }
                Thread.detachNewThread { CutProxy.pump(wires, pair, .answer) }
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Cuts connections from now on, one after the other; none: no more.
    func arm(_ cuts: [Cut]) {
        wires.state.withLock { ($0.cuts, $0.passed) = (cuts, 0) }
    }

    /// How many cuts are still to come.
    var left: Int { wires.state.withLock { $0.cuts.count } }

    /// How many bytes have come so far.
    func total(_ side: Side) -> Int { wires.state.withLock { $0.total[side, default: 0] } }

    /// How often the client has asked after an answer: what is asked in one go is one.
    var turns: Int { wires.state.withLock { $0.turns } }

    private static func pump(_ wires: Wires, _ pair: Pair, _ side: Side) {
        let (source, target) = side == .request ? (pair.client, pair.server) : (pair.server, pair.client)
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isCut = false
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            guard !isCut else { continue }
            let (passing, cut) = wires.pass(count, side)
            write(buffer[..<passing], to: target)
            guard let cut else { continue }
            isCut = true
            pair.leavesServer.store(cut.serverEnd != .closed, ordering: .releasing)
            shutdown(pair.client, Int32(SHUT_RDWR))
            if cut.serverEnd == .hearsLate, side == .request {
                usleep(10_000)
                write(buffer[passing..<count], to: target)
            }
        }
        if side == .answer || !pair.leavesServer.load(ordering: .acquiring) { shutdown(target, Int32(SHUT_RDWR)) }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    private static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
