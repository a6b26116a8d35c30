import COpenSSL
import Foundation
import HTTP2Client
import Synchronization

/// A server that speaks raw HTTP/2 frames over TLS, by a script: what a real server does in bad moments only.
///
/// It serves one connection after the other, on a thread of its own.
final class FrameServer: Sendable {
    /// What the server does by itself.
    struct Script: Sendable {
        /// The protocol that it chooses by ALPN; nil: it does not know ALPN.
        ///
        /// One that the client does not offer ends the handshake.
        var alpn: String? = "h2"
        var sendsSettings = true
        var acknowledgesSettings = true
        var streams: UInt32 = 100
        /// The first window of each stream; nil: so large that no request meets it.
        var window: UInt32?
        var answersPings = true
        /// How fast it reads; nil: as fast as it can.
        var bytesPerSecond: Int?
        var receiveBuffer: CInt?
        /// A request is whole; its number is 0 for the first one of all connections.
        var whole: @Sendable (Peer, UInt32, Int) -> Void = { peer, stream, _ in peer.answer(stream) }
    }

    /// What came in so far, on all connections.
    struct Counts: Equatable {
        var connections = 0
        var whole = 0
        var resets = 0
        var lastResetCode: UInt32 = 0
        var pings = 0
        var goAways = 0
        var bodyBytes = 0
        var checksum = 0
        /// Requests that are whole and not answered.
        var open = 0
        var mostOpen = 0
    }

    private struct State {
        var counts = Counts()
        var headers: [[String: String]] = []
        var commands: [@Sendable (Peer) -> Void] = []
        var isOver = false
    }

    let port: Int
    private let script: Script
    private let listener: CInt
    /// A byte in it tells the thread that something is to be done.
    private let wake: (read: CInt, write: CInt)
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Listens on a port of the system's choice.
    init(_ script: Script, certificate: String, key: String) throws {
        self.script = script
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if var bytes = script.receiveBuffer {
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        var ends: [CInt] = [0, 0]
        guard isListening, pipe(&ends) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        wake = (ends[0], ends[1])
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in
            ignoreBrokenPipes()
            serve(TLSContext(certificate: certificate, key: key, alpn: script.alpn))
            ended.signal()
        }.start()
    }

    var counts: Counts { state.withLock { $0.counts } }
    /// The fields of each request, in the order of their coming.
    var headers: [[String: String]] { state.withLock { $0.headers } }

    /// Has something done on the connection that there is, by its thread.
    func perform(_ command: @escaping @Sendable (Peer) -> Void) {
        state.withLock { $0.commands.append(command) }
        wakeThread()
    }

    /// Ends the thread and closes everything.
    func stop() {
        state.withLock { $0.isOver = true }
        wakeThread()
        ended.wait()
        for descriptor in [listener, wake.read, wake.write] { close(descriptor) }
    }

    private func wakeThread() {
        var byte: UInt8 = 1
        _ = write(wake.write, &byte, 1)
    }

    private func ignoreBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    // MARK: - The thread

    private var isOver: Bool { state.withLock { $0.isOver } }

    /// Waits until the descriptor can be read, doing what is commanded meanwhile; false at the end.
    private func waitToRead(_ descriptor: CInt, for peer: Peer?) -> Bool {
        while !isOver {
            if let peer { for command in takeCommands() { command(peer) } }
            if let peer, peer.isGone { return false }
            var descriptors = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&descriptors, 2, -1) > 0 else { continue }
            if descriptors[1].revents != 0 {
                var byte: UInt8 = 0
                _ = read(wake.read, &byte, 1)
            }
            if descriptors[0].revents != 0 { return true }
        }
        return false
    }

    private func takeCommands() -> [@Sendable (Peer) -> Void] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    private func serve(_ context: TLSContext) {
        while waitToRead(listener, for: nil) {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { continue }
            var on: CInt = 1
            setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
            state.withLock { $0.counts.connections += 1 }
            let peer = Peer(descriptor, context) { [self] in state.withLock { $0.counts.open -= 1 } }
            // A connection that is not read would keep the others from being accepted, but for a moment.
            if peer.accept() { serve(peer) }
            state.withLock { $0.counts.open = 0 }
            peer.end()
        }
    }

    private func serve(_ peer: Peer) {
        if script.sendsSettings {
            peer.settings([(3, script.streams), (4, script.window ?? 1 << 20)])
            if script.window == nil { peer.openWindow(of: 0, by: 1 << 24) }
        }
        guard take(24, from: peer) != nil else { return }
        let decoder = HeaderDecoder()
        while let head = take(9, from: peer) {
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard let payload = take(length, from: peer) else { return }
            let stream = head[5...8].reduce(0) { $0 << 8 | UInt32($1) }
            receive(Frame(type: head[3], flags: head[4], stream: stream, payload: payload), decoder, peer)
        }
    }

    private struct Frame {
        let type, flags: UInt8
        let stream: UInt32
        let payload: [UInt8]
    }

    private func receive(_ frame: Frame, _ decoder: HeaderDecoder, _ peer: Peer) {
        switch frame.type {
        case 0:
            state.withLock { state in
                state.counts.bodyBytes += frame.payload.count
                state.counts.checksum += frame.payload.reduce(0) { $0 + Int($1) }
            }
            if script.window == nil, !frame.payload.isEmpty { peer.openWindow(of: 0, by: UInt32(frame.payload.count)) }
        case 1:
            let fields = decoder.decode(frame.payload) ?? []
            state.withLock { $0.headers.append(Dictionary(fields.map { ($0.name, $0.value) }) { $1 }) }
        case 3:
            state.withLock { state in
                state.counts.resets += 1
                state.counts.lastResetCode = frame.payload.reduce(0) { $0 << 8 | UInt32($1) }
            }
        case 4 where frame.flags & 1 == 0 && script.acknowledgesSettings: peer.frame(4, flags: 1)
        case 6 where frame.flags & 1 == 0:
            state.withLock { $0.counts.pings += 1 }
            if script.answersPings { peer.frame(6, flags: 1, payload: frame.payload) }
        case 7: state.withLock { $0.counts.goAways += 1 }
        default: break
        }
        guard frame.type < 2, frame.flags & 1 != 0 else { return }
        let number = state.withLock { state in
            state.counts.open += 1
            state.counts.mostOpen = max(state.counts.mostOpen, state.counts.open)
            state.counts.whole += 1
            return state.counts.whole - 1
        }
        script.whole(peer, frame.stream, number)
    }

    /// So many bytes; nil at the end.
    private func take(_ count: Int, from peer: Peer) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard peer.hasPending || waitToRead(peer.descriptor, for: peer), let more = peer.read(count - bytes.count)
            else { return nil }
            bytes += more
            if let rate = script.bytesPerSecond { usleep(UInt32(more.count * 1_000_000 / rate)) }
        }
        return bytes
    }
}

/// OpenSSL's settings of a server.
final class TLSContext {
    let context: OpaquePointer
    private let choice: UnsafeMutablePointer<UInt8>?

    init(certificate: String, key: String, alpn: String?) {
        guard let context = SSL_CTX_new(TLS_server_method()),
            SSL_CTX_use_certificate_chain_file(context, certificate) == 1,
            SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
        else { preconditionFailure("no certificate and key in \(certificate) and \(key)") }
        self.context = context
        guard let alpn else {
            choice = nil
            return
        }
        let wire = [UInt8(alpn.utf8.count)] + Array(alpn.utf8) + [0]
        let choice = UnsafeMutablePointer<UInt8>.allocate(capacity: wire.count)
        choice.initialize(from: wire, count: wire.count)
        self.choice = choice
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, offeredLength, choice in
                guard let choice = choice?.assumingMemoryBound(to: UInt8.self), let chosen else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                var protocolName: UnsafeMutablePointer<UInt8>?
                let result = SSL_select_next_proto(
                    &protocolName, length, choice, UInt32(choice[0]) + 1, offered, offeredLength)
                chosen.pointee = UnsafePointer(protocolName)
                return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
            }, choice)
    }

    deinit {
        SSL_CTX_free(context)
        choice?.deallocate()
    }
}
