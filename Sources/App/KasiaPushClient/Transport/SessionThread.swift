import Foundation

#if canImport(FoundationNetworking)
/// A thread for the calls of `URLSession` that block on Linux.
///
/// There, starting and cancelling a task waits for a queue that needs one of Dispatch's few threads. From one of these,
/// or from Swift's own, which are the same, the wait can be for oneself.
///
/// Unchecked: the list is only touched under the condition's lock.
final class SessionThread: @unchecked Sendable {
    private static let shared = SessionThread()

    private let condition = NSCondition()
    private var calls: [@Sendable () -> Void] = []

    /// Makes the call soon, after those before it.
    static func run(_ call: @escaping @Sendable () -> Void) {
        shared.condition.withLock {
            shared.calls.append(call)
            shared.condition.signal()
        }
    }

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                for call in next() { call() }
            }
        }
    }

    private func next() -> [@Sendable () -> Void] {
        condition.withLock {
            while calls.isEmpty { condition.wait() }
            defer { calls = [] }
            return calls
        }
    }
}
#else
/// On Apple's systems `URLSession` does not block.
enum SessionThread {
    /// Makes the call.
    static func run(_ call: () -> Void) { call() }
}
#endif
