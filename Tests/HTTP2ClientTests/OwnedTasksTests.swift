import Synchronization
import Testing

@testable import HTTP2Client

@Suite("OwnedTasks", .timeLimit(.minutes(5)))
struct OwnedTasksTests {
    private final class Count: Sendable {
        private let value = Atomic(0)
        var current: Int { value.load(ordering: .relaxed) }
        func add() { value.add(1, ordering: .relaxed) }
    }

    @Test("What is added before, while and shortly before the end of a run is done, once; what comes later is refused")
    func life() async {
        let (tasks, done) = (OwnedTasks(), Count())
        for _ in 0..<10 { #expect(tasks.add { done.add() }) }
        #expect(done.current == 0)
        await withTaskGroup { group in
            group.addTask { await tasks.run() }
            while done.current < 10 { await Task.yield() }
            for _ in 0..<10 { #expect(tasks.add { done.add() }) }
            while done.current < 20 { await Task.yield() }
            for _ in 0..<10 { #expect(tasks.add { done.add() }) }
            tasks.close()
            #expect(!tasks.add { done.add() })
        }
        #expect(done.current == 30)
    }

    @Test("A run that was cancelled goes on until it is closed, and its work knows of it")
    func cancelled() async {
        let (tasks, done) = (OwnedTasks(), Count())
        let run = Task { await tasks.run() }
        run.cancel()
        #expect(
            tasks.add {
                if Task.isCancelled { done.add() }
            })
        while done.current < 1 { await Task.yield() }
        tasks.close()
        await run.value
        #expect(done.current == 1)
    }

    @Test("One piece of work waits for no other")
    func beside() async {
        let (tasks, first, second) = (OwnedTasks(), Count(), Count())
        await withTaskGroup { group in
            group.addTask { await tasks.run() }
            _ = tasks.add {
                first.add()
                while second.current == 0 { await Task.yield() }
            }
            while first.current == 0 { await Task.yield() }
            _ = tasks.add { second.add() }
            tasks.close()
        }
        #expect(second.current == 1)
    }

    @Test("Nothing is lost that many threads add")
    func many() async {
        let (tasks, done) = (OwnedTasks(), Count())
        await withTaskGroup { group in
            group.addTask { await tasks.run() }
            await withTaskGroup { adders in
                for _ in 0..<8 {
                    adders.addTask {
                        for _ in 0..<500 { _ = tasks.add { done.add() } }
                    }
                }
            }
            tasks.close()
        }
        #expect(done.current == 4_000)
    }
}
