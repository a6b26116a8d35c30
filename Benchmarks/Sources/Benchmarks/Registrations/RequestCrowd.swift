import Foundation

/// Clients that each keep one connection and send one request after another, all in one thread.
final class RequestCrowd {
    private static let patience: Int32 = 30_000

    private var descriptors: [pollfd] = []
    private var answers: [[UInt8]]

    init(_ count: Int, port: UInt16) throws {
        answers = Array(repeating: [], count: count)
        for _ in 0..<count {
            guard let descriptor = HTTPProbe.connection(to: port) else {
                throw BenchmarkError("A client cannot connect.")
            }
            descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
    }

    deinit { for descriptor in descriptors { close(descriptor.fd) } }

    /// The seconds until all requests have got their 200.
    func send(_ requests: [[UInt8]]) throws -> Double {
        var waiting = requests.makeIterator()
        var unanswered = requests.count
        var buffer = [UInt8](repeating: 0, count: 65_536)
        func sendNext(_ client: Int) throws {
            guard let request = waiting.next() else { return }
            guard LocalHTTP.write(request, to: descriptors[client].fd) else {
                throw BenchmarkError("A client cannot ask.")
            }
        }
        return try Measure.seconds {
            for client in descriptors.indices { try sendNext(client) }
            while unanswered > 0 {
                guard poll(&descriptors, nfds_t(descriptors.count), Self.patience) > 0 else {
                    throw BenchmarkError("\(unanswered) requests are not answered.")
                }
                for client in descriptors.indices where descriptors[client].revents != 0 {
                    let count = recv(descriptors[client].fd, &buffer, buffer.count, 0)
                    guard count > 0 else { throw BenchmarkError("A client was closed.") }
                    answers[client] += buffer[..<count]
                    guard let answer = LocalHTTP.answer(in: Data(answers[client])), answer.isWhole else { continue }
                    guard answer.status == 200 else {
                        throw BenchmarkError("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
                    }
                    answers[client] = []
                    unanswered -= 1
                    try sendNext(client)
                }
            }
        }
    }
}
