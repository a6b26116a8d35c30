import Dispatch
import Testing

@testable import PostgresStore
@testable import Store

extension Store {
    /// Runs so many changes that all wait when the writer comes to the first of them; the answers are in order.
    func together<Answer: Sendable>(
        _ count: Int, _ change: @escaping @Sendable (Int) async throws -> Answer
    ) async throws -> [Result<Answer, any Error>] {
        let queue = try #require(writeQueue)
        let gate = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        async let holder: Void = write { _ in
            beginning.finish()
            gate.wait()
        }
        for await _ in begun {}
        let answers = try await withThrowingTaskGroup(of: (Int, Result<Answer, any Error>).self) { group in
            defer { gate.signal() }
            for number in 0..<count {
                group.addTask {
                    do {
                        return (number, .success(try await change(number)))
                    } catch {
                        return (number, .failure(error))
                    }
                }
            }
            try await StoreBench.wait("all of them wait") { queue.count == count }
            gate.signal()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await holder
        return answers.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
