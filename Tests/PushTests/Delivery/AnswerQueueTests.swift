import Carriers
import Kaspa
import SampleOperations
import Store
import Testing

@testable import Push

@Suite("AnswerQueue", .timeLimit(.minutes(5)))
struct AnswerQueueTests {
    private func answer(_ seq: UInt64) -> AnswerQueue.Answer {
        let device = DeviceID(token: Samples.token(1))
        let event = Samples.event(.payment)
        return AnswerQueue.Answer(
            key: ScheduleKey(lane: .ordinary, due: 1, device: device, seq: seq),
            delivery: Delivery(device: device, seq: seq, event: event, expiresAt: 2), isFromElsewhere: false,
            isOnProbation: false, outcome: .delivered, sentAt: seq, time: .zero)
    }

    @Test("are taken once, in order, and only the first since says so")
    func order() {
        let arrived = AnswerQueue()
        #expect(arrived.take().isEmpty)
        for round in [0, 1] as [UInt64] {
            for seq in 1...3 as ClosedRange<UInt64> {
                let isFirst = arrived.add(answer(10 * round + seq))
                #expect(isFirst == (seq == 1))
            }
            #expect(arrived.count == 3)
            #expect(arrived.take().map(\.key.seq) == [10 * round + 1, 10 * round + 2, 10 * round + 3])
            #expect(arrived.take().isEmpty)
        }
    }

    @Test("are waited for, also by a task that is cancelled")
    func waiting() async throws {
        let arrived = AnswerQueue()
        _ = arrived.add(answer(1))
        await arrived.wait()
        #expect(arrived.take().count == 1)
        let waiter = Task {
            await arrived.wait()
            return arrived.take().count
        }
        waiter.cancel()
        while !arrived.isAwaited {
            try Task.checkCancellation()
            await Task.yield()
        }
        _ = arrived.add(answer(2))
        #expect(await waiter.value == 1)
    }
}
