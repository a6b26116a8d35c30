import FoundationEssentials
import Testing

@testable import APNsSandbox

@Suite("The journal", .timeLimit(.minutes(5)))
struct JournalTests {
    private static func entry(_ token: String = "t", accepted: Bool = true, bytes: Int = 1) -> ReceivedNotification {
        ReceivedNotification(
            number: 0, token: token, id: "", body: [UInt8](repeating: 1, count: bytes), bodyLength: bytes,
            receivedAt: Date(timeIntervalSince1970: 0), connection: 1, stream: 1, status: accepted ? 200 : 400,
            reason: nil, ending: .answered, isAccepted: accepted)
    }

    @Test("keeps the newest and counts all", arguments: [(9, 9), (10, 10), (11, 10), (35, 10)])
    func bounded(added: Int, kept: Int) {
        let journal = Journal(capacity: 10)
        for _ in 0..<added { journal.record(Self.entry()) }
        #expect(journal.total(.notifications) == added)
        #expect(journal.entries(.requests).map(\.number) == Array(added - kept + 1...added))
    }

    @Test("is bounded by the bytes of its bodies too")
    func boundedByBytes() {
        var log = BoundedLog(capacity: 1000)
        let quarter = Self.entry(bytes: BoundedLog.byteLimit / 4)
        for _ in 0..<4 { log.append(quarter) }
        #expect(log.count == 4)
        log.append(Self.entry(bytes: 1))
        #expect(log.count == 4 && log.total == 5)
    }

    @Test("wakes a waiter at the last entry it needs, and only by those that match")
    func wakes() async throws {
        let journal = Journal(capacity: 100)
        journal.record(Self.entry("a"))
        async let found = journal.wait(for: 3, in: .notifications, timeout: .seconds(300)) { $0.token == "a" }
        for entry in [Self.entry("b"), Self.entry("a", accepted: false), Self.entry("a"), Self.entry("a")] {
            journal.record(entry)
        }
        let entries = try await found
        #expect(entries.map(\.number) == [1, 4, 5])
    }

    @Test("says how many came when the time is up")
    func timeout() async {
        let journal = Journal(capacity: 100)
        journal.record(Self.entry())
        await #expect {
            _ = try await journal.wait(for: 2, in: .notifications, timeout: .milliseconds(1)) { _ in true }
        } throws: { error in
            let error = error as? SandboxError
            return error?.code == .timeout && error?.message.hasPrefix("1 of 2 expected notifications") == true
        }
    }

    @Test("lets a waiter go that is cancelled, and all of them at the end")
    func lets() async throws {
        let journal = Journal(capacity: 100)
        let cancelled = Task {
            try await journal.wait(for: 1, in: .requests, timeout: .seconds(300)) { _ in true }
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        let stream = journal.stream(bufferingNewest: 2)
        for _ in 0..<5 { journal.record(Self.entry()) }
        journal.close()
        var numbers: [Int] = []
        for await entry in stream { numbers.append(entry.number) }
        #expect(numbers == [4, 5])
    }

    @Test(
        "pages by number, forgets, and numbers on",
        arguments: [(0, [1, 2]), (3, [4, 5]), (4, [5]), (5, []), (99, [])])
    func pages(after: Int, numbers: [Int]) {
        let journal = Journal(capacity: 100)
        for _ in 0..<5 { journal.record(Self.entry()) }
        #expect(journal.entries(.requests, after: after, limit: 2).map(\.number) == numbers)
        journal.forget()
        #expect(journal.total(.requests) == 0)
        journal.record(Self.entry())
        #expect(journal.entries(.requests).map(\.number) == [6])
    }
}
