import Foundation

/// One request over a connection of its own to a service on this machine, waiting for the answer.
struct LocalHTTP {
    struct Answer {
        let status: Int
        let body: Data
    }

    /// An answer that takes longer is none.
    private static let patience = 30

    let port: UInt16

    /// Sends a request; nil when there is no whole answer.
    func send(_ method: String, _ path: String, _ body: Data? = nil) -> Answer? {
        guard let descriptor = HTTPProbe.connection(to: port) else { return nil }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var head = "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        if let body { head += "content-type: application/json\r\ncontent-length: \(body.count)\r\n" }
        guard Self.write(Array("\(head)\r\n".utf8) + (body ?? Data()), to: descriptor) else { return nil }
        return Self.answer(in: Self.rest(of: descriptor))
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private static func rest(of descriptor: Int32) -> Data {
        var text = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return text }
            text.append(contentsOf: buffer[..<count])
        }
    }

    private static func answer(in text: Data) -> Answer? {
        // "HTTP/1.1 200 OK"
        guard text.count >= 12, let status = Int(String(decoding: text[9..<12], as: UTF8.self)),
            let end = text.firstRange(of: Data("\r\n\r\n".utf8))
        else { return nil }
        return Answer(status: status, body: text[end.upperBound...])
    }
}
