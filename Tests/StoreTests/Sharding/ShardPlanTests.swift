import SampleOperations
import Testing

@testable import Store

@Suite("How devices are shared out")
struct ShardPlanTests {
    @Test("Whatever their number, shards follow one another without a gap, and differ by one partition at most")
    func ranges() {
        for count in 1...ShardPlan.most {
            let plan = ShardPlan(count: count)
            var next = 0
            var sizes: Set<Int> = []
            for shard in 0..<count {
                let bytes = plan.firstBytes(of: shard)
                #expect(bytes.lowerBound == next)
                next = bytes.upperBound
                sizes.insert(bytes.count / 16)
                let partitions = plan.partitions(of: shard)
                #expect(partitions.count * 16 == bytes.count && Int(partitions.lowerBound) * 16 == bytes.lowerBound)
            }
            #expect(next == 256)
            #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
        }
    }

    @Test("A device is in the shard of its first byte, and in no other")
    func devices() {
        for count in 1...ShardPlan.most {
            for number in 0..<100 {
                let device = DeviceID(token: Samples.token(number))
                let shard = ShardPlan(count: count).shard(of: device)
                #expect(ShardPlan(count: count).firstBytes(of: shard).contains(Int(device.bytes[0])))
                #expect((0..<count).filter { ShardPlan(count: count, own: $0).owns(device) } == [shard])
            }
        }
    }
}
