import SampleOperations
import Store
import Testing

@testable import Push

@Suite("LaneCapacity")
struct LaneCapacityTests {
    /// What each lane is given in one turn, of so many that wait.
    private func turn(
        _ lanes: inout LaneCapacity, room: Int, waiting: [ScheduleKey.Lane: Int]
    ) -> [ScheduleKey.Lane: Int] {
        var (left, given) = (waiting, [ScheduleKey.Lane: Int]())
        _ = lanes.request(room: room).collect { lane, limit in
            let count = min(limit, left[lane, default: 0])
            left[lane, default: 0] -= count
            given[lane, default: 0] += count
            return (0..<count).map {
                ScheduleKey(lane: lane, due: 0, device: DeviceID(token: Samples.token($0)), seq: 1)
            }
        }
        for (lane, count) in given {
            for _ in 0..<count { lanes.began(lane) }
        }
        return given
    }

    private let many: [ScheduleKey.Lane: Int] = [.ordinary: 999, .bulk: 999, .probation: 999]

    @Test("Ordinary deliveries take what the shares leave, and all if there is nothing else")
    func ordinary() {
        var lanes = LaneCapacity(capacity: 64)
        #expect(turn(&lanes, room: 64, waiting: [.ordinary: 999]) == [.ordinary: 64, .bulk: 0, .probation: 0])
        lanes = LaneCapacity(capacity: 64)
        #expect(turn(&lanes, room: 64, waiting: many) == [.ordinary: 44, .bulk: 16, .probation: 4])
    }

    @Test("Alone, the bulk lane holds three quarters of the capacity, and probation a quarter; both at least one")
    func alone() {
        for (capacity, bulk, probation) in [(64, 48, 16), (5, 3, 1), (3, 2, 1), (1, 1, 1)] {
            var lanes = LaneCapacity(capacity: capacity)
            #expect(turn(&lanes, room: capacity, waiting: [.bulk: 999])[.bulk] == bulk)
            #expect(lanes.withRoom.contains(.bulk) == false && lanes.withRoom.contains(.probation))
            lanes = LaneCapacity(capacity: capacity)
            #expect(turn(&lanes, room: capacity, waiting: [.probation: 999])[.probation] == probation)
            #expect(lanes.withRoom.contains(.probation) == false)
            lanes.ended(.probation)
            #expect(lanes.withRoom.contains(.probation))
        }
    }

    @Test("What becomes free one by one is shared over the turns: neither lane starves, and neither takes it all")
    func oneByOne() {
        var lanes = LaneCapacity(capacity: 1)
        var sent: [ScheduleKey.Lane: Int] = [:]
        for _ in 0..<160 {
            let given = turn(&lanes, room: 1, waiting: many)
            for (lane, count) in given where count > 0 {
                sent[lane, default: 0] += count
                lanes.ended(lane)
            }
        }
        #expect(sent.values.reduce(0, +) == 160)
        #expect(sent[.probation] == 10)
        #expect((30...40).contains(sent[.bulk, default: 0]))
    }
}
