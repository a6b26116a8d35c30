import Foundation

/// Many readers of one stream of server-sent events, in one thread.
final class ReaderCrowd {
    /// How much later than the first reader the others had each event, milliseconds.
    struct Spread {
        fileprivate(set) var events = 0
        fileprivate var delays = Samples()
        func quantile(_ share: Double) -> Double { delays.quantile(share) }
    }

    /// The stream is over when nothing has come for so long.
    private static let silence = Duration.seconds(10)
    private static let patience = Duration.seconds(300)

    private var descriptors: [pollfd] = []
    private var texts: [[UInt8]] = []
    private var times: [String: [ContinuousClock.Instant]] = [:]

    /// Connects and asks; returns when all have got their first event, which is the place in the log.
    init(_ count: Int, of path: String, port: UInt16) throws {
        let request = Array("GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8)
        for _ in 0..<count {
            guard let descriptor = HTTPProbe.connection(to: port) else {
                throw BenchmarkError("A reader cannot connect.")
            }
            descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            texts.append([])
            let flags = Int32(MSG_NOSIGNAL)
            guard send(descriptor, request, request.count, flags) == request.count else {
                throw BenchmarkError("A reader cannot ask.")
            }
        }
        let end = ContinuousClock.now + Self.patience
        var waiting = Set(texts.indices)
        while !waiting.isEmpty {
            guard ContinuousClock.now < end else { throw BenchmarkError("\(waiting.count) readers hear nothing.") }
            for (reader, _) in try next() { waiting.remove(reader) }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor.fd) } }

    /// Reads to the end of what happens.
    func listen() throws -> Spread {
        var last = ContinuousClock.now
        while ContinuousClock.now - last < Self.silence || times.isEmpty {
            guard ContinuousClock.now - last < Self.patience else { throw BenchmarkError("No event has come.") }
            let now = try next()
            guard !now.isEmpty else { continue }
            last = ContinuousClock.now
            for (_, id) in now { times[id, default: []].append(last) }
        }
        var spread = Spread()
        for (id, arrivals) in times {
            guard arrivals.count == descriptors.count, let first = arrivals.min() else {
                throw BenchmarkError("Event \(id) came to \(arrivals.count) of \(descriptors.count) readers.")
            }
            spread.events += 1
            for arrival in arrivals { spread.delays.append((arrival - first) / .milliseconds(1)) }
        }
        spread.delays.sort()
        return spread
    }

    /// The ids that have come since, each with its reader; empty after a while without any.
    private func next() throws -> [(Int, String)] {
        guard poll(&descriptors, nfds_t(descriptors.count), 1_000) > 0 else { return [] }
        var found: [(Int, String)] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for reader in descriptors.indices where descriptors[reader].revents != 0 {
            let count = recv(descriptors[reader].fd, &buffer, buffer.count, 0)
            guard count > 0 else { throw BenchmarkError("A reader was closed.") }
            texts[reader] += buffer[..<count]
            while let end = texts[reader].firstRange(of: [10, 10]) {
                let block = String(decoding: texts[reader][..<end.lowerBound], as: UTF8.self)
                texts[reader].removeSubrange(..<end.upperBound)
                if let line = block.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("id: ") }) {
                    found.append((reader, String(line.dropFirst(4))))
                }
            }
        }
        return found
    }
}
