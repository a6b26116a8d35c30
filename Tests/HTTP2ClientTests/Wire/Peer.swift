import COpenSSL
import Foundation

/// A server's end of a connection, for its thread: what the scripts of the tests say on it.
final class Peer {
    let descriptor: CInt
    private let tls: OpaquePointer
    private let answered: () -> Void
    /// Nothing more is read.
    private(set) var isGone = false

    init(_ descriptor: CInt, _ context: TLSContext, answered: @escaping () -> Void) {
        guard let tls = SSL_new(context.context) else { preconditionFailure("out of memory") }
        self.descriptor = descriptor
        self.tls = tls
        self.answered = answered
        SSL_set_fd(tls, descriptor)
    }

    deinit { SSL_free(tls) }

    func accept() -> Bool { SSL_accept(tls) == 1 }

    func end() { close(descriptor) }

    var hasPending: Bool { SSL_pending(tls) > 0 }

    /// At most so many bytes; nil at the end.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = SSL_read(tls, &bytes, CInt(count))
        return read > 0 ? Array(bytes.prefix(Int(read))) : nil
    }

    func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        let count = payload.count
        let bytes =
            [UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff), type, flags] + Self.bytes(stream)
            + payload
        _ = SSL_write(tls, bytes, CInt(bytes.count))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    // 0x88 is `:status 200` of HPACK's static table, 0x8c is 400.

    /// 200, without a body.
    func answer(_ stream: UInt32) { answer(stream, block: [0x88]) }

    func answer(_ stream: UInt32, block: [UInt8]) {
        frame(1, flags: 5, stream: stream, payload: block)
        answered()
    }

    /// The header of an answer that goes on.
    func beginAnswer(_ stream: UInt32, block: [UInt8]) { frame(1, flags: 4, stream: stream, payload: block) }

    func reset(_ stream: UInt32, code: UInt32) {
        frame(3, stream: stream, payload: Self.bytes(code))
        answered()
    }

    func goAway(last: UInt32, code: UInt32 = 0) { frame(7, payload: Self.bytes(last) + Self.bytes(code)) }

    func settings(_ values: [(UInt16, UInt32)]) {
        frame(4, payload: values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] + Self.bytes($1) })
    }

    func openWindow(of stream: UInt32, by count: UInt32) { frame(8, stream: stream, payload: Self.bytes(count)) }

    /// A new key for us, and one of the client wanted: TLS 1.3.
    func updateKey() {
        SSL_key_update(tls, SSL_KEY_UPDATE_REQUESTED)
        SSL_do_handshake(tls)
    }

    /// How a connection is lost.
    enum Loss: Sendable, CaseIterable { case fin, closeNotify, reset }

    func lose(by loss: Loss) {
        switch loss {
        case .fin: shutdown(descriptor, CInt(SHUT_WR))
        case .closeNotify: SSL_shutdown(tls)
        case .reset:
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            isGone = true
        }
    }
}
