import Foundation

/// One live stream of an address's activity, which can be broken and resumed.
final class DayStream {
    private let path: String
    private let port: UInt16
    private var descriptor: Int32 = -1
    private var text: [UInt8] = []
    private var lastID: String?
    /// The items told so far.
    private(set) var items: Set<String> = []
    private(set) var resumptions = 0
    /// Times that the service closed it, or would not let it in.
    private(set) var refusals = 0
    /// The service could not go on from the last id.
    private(set) var resets = 0

    init(of address: String, port: UInt16) {
        path = "/v1/activity/stream?address=\(address)"
        self.port = port
        connect()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Hangs up and comes back with the last id.
    func breakOff() {
        if descriptor >= 0 { close(descriptor) }
        resumptions += 1
        connect()
    }

    /// Takes in what has come.
    func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while descriptor >= 0 {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                text += buffer[..<count]
                continue
            }
            if count < 0, errno == EAGAIN || errno == EINTR { break }
            close(descriptor)
            descriptor = -1
            refusals += 1
            connect()
            break
        }
        while let end = text.firstRange(of: [10, 10]) {
            take(String(decoding: text[..<end.lowerBound], as: UTF8.self))
            text.removeSubrange(..<end.upperBound)
        }
    }

    private func connect() {
        text = []
        guard let connection = HTTPProbe.connection(to: port) else {
            descriptor = -1
            return
        }
        descriptor = connection
        let resume = lastID.map { "last-event-id: \($0)\r\n" } ?? ""
        _ = LocalHTTP.write(Array("GET \(path) HTTP/1.1\r\nhost: localhost\r\n\(resume)\r\n".utf8), to: connection)
    }

    private func take(_ event: String) {
        var name = ""
        for line in event.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("id: ") { lastID = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: "), name == "activity", let start = line.firstRange(of: #""id":""#) {
                items.insert(String(line[start.upperBound...].prefix { $0 != "\"" }))
            }
        }
        if name == "reset" { resets += 1 }
    }
}
