import Foundation

/// One request over a connection of its own to a service on this machine, waiting for the answer.
struct LocalHTTP {
    struct Answer {
        let status: Int
        let body: Data
        /// Whether the body is as long as the answer says.
        let isWhole: Bool
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
        guard Self.write(Self.request(method, path, body), to: descriptor) else { return nil }
        return Self.answer(in: Self.rest(of: descriptor))
    }

    /// A request in its wire form; without `keepsAlive` the service closes the connection after it.
    static func request(_ method: String, _ path: String, _ body: Data?, keepsAlive: Bool = false) -> [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\n"
        if !keepsAlive { head += "connection: close\r\n" }
        if let body { head += "content-type: application/json\r\ncontent-length: \(body.count)\r\n" }
        return Array("\(head)\r\n".utf8) + (body ?? Data())
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

    /// The answer that begins a text; nil while its head is not whole.
    static func answer(in text: Data) -> Answer? {
        // "HTTP/1.1 200 OK"
        guard text.count >= 12, let status = Int(String(decoding: text[9..<12], as: UTF8.self)),
            let end = text.firstRange(of: Data("\r\n\r\n".utf8))
        else { return nil }
        let body = text[end.upperBound...]
        let length = String(decoding: text[..<end.lowerBound], as: UTF8.self).lowercased()
            .split(whereSeparator: \.isNewline).first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
        return Answer(status: status, body: body, isWhole: length.map { body.count >= $0 } ?? true)
    }
}
