import Synchronization
import Testing

@testable import APNs

@Suite("Send slots", .timeLimit(.minutes(5)))
struct SendSlotsTests {
    @Test("are granted up to their number", arguments: [1, 2, 7])
    func bounded(count: Int) async {
        let slots = SendSlots(count: count)
        for _ in 0..<count { #expect(await slots.acquire() == .granted) }
        let waiter = Task { await slots.acquire() }
        slots.release()
        #expect(await waiter.value == .granted)
        slots.release()
        #expect(await slots.acquire() == .granted)
    }

    @Test("are never granted to more than their number at a time")
    func neverMore() async {
        let slots = SendSlots(count: 3)
        let inside = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    #expect(await slots.acquire() == .granted)
                    #expect(inside.add(1) <= 3)
                    await Task.yield()
                    inside.add(-1)
                    slots.release()
                }
            }
        }
        for _ in 0..<3 { #expect(await slots.acquire() == .granted) }
    }

    @Test("are taken at once only while one is free, nobody waits and they are open", arguments: [1, 2, 7])
    func atOnce(count: Int) async {
        let slots = SendSlots(count: count)
        for _ in 0..<count {
            let isGranted = slots.acquireAtOnce()
            #expect(isGranted)
        }
        #expect(!slots.acquireAtOnce())
        let waiter = Task { await slots.acquire() }
        slots.release()
        #expect(await waiter.value == .granted)
        #expect(!slots.acquireAtOnce())
        slots.release()
        let isGranted = slots.acquireAtOnce()
        #expect(isGranted)
        slots.release()
        slots.close()
        #expect(!slots.acquireAtOnce())
    }

    @Test("are not held by a task that was cancelled while it waited, or before")
    func cancelled() async {
        let slots = SendSlots(count: 1)
        #expect(await slots.acquire() == .granted)
        for isEarly in [true, false] {
            let waiter = Task {
                if isEarly { while !Task.isCancelled { await Task.yield() } }
                return await slots.acquire()
            }
            waiter.cancel()
            #expect(await waiter.value == .cancelled)
        }
        slots.release()
        #expect(await slots.acquire() == .granted)
    }

    @Test("send everyone away once they are closed")
    func closed() async {
        let slots = SendSlots(count: 1)
        #expect(await slots.acquire() == .granted)
        let waiters = (0..<10).map { _ in Task { await slots.acquire() } }
        slots.close()
        for waiter in waiters { #expect(await waiter.value == .closed) }
        #expect(await slots.acquire() == .closed)
        slots.release()
        #expect(await slots.acquire() == .closed)
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)

    @discardableResult
    func add(_ change: Int) -> Int { value.add(change, ordering: .sequentiallyConsistent).newValue }
}
