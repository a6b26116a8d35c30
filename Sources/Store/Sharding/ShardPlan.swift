/// How the devices are shared out when several processes send: by the partitions of their names, in ranges as equal as
/// may be.
///
/// Shard 0 is the store itself: it follows the chain, has all registrations, and sends to its own devices. Each other one
/// has what is to be sent to its devices, and a copy of their registrations.
public struct ShardPlan: Hashable, Sendable {
    /// The most shards: one for each partition.
    public static let most = Int(DeviceID.partitionCount)
    /// A store that is not shared out.
    public static let single = ShardPlan(count: 1)

    /// How many there are, 1 to `most`.
    public let count: Int
    /// Which of them this is, 0 ..< `count`.
    public let own: Int

    /// The shard `own` of `count`.
    public init(count: Int, own: Int = 0) {
        precondition((1...ShardPlan.most).contains(count) && (0..<count).contains(own), "there is no such shard")
        self.count = count
        self.own = own
    }

    /// The shards besides the store itself.
    public var others: Range<Int> { 1..<count }

    /// Which shard sends to a device.
    public func shard(of device: DeviceID) -> Int { shard(ofPartition: Int(device.partition)) }

    private func shard(ofPartition partition: Int) -> Int { partition * count / ShardPlan.most }

    /// The partitions of a shard.
    package func partitions(of shard: Int) -> ClosedRange<UInt8> {
        UInt8(firstPartition(of: shard))...UInt8(firstPartition(of: shard + 1) - 1)
    }

    private func firstPartition(of shard: Int) -> Int { (shard * ShardPlan.most + count - 1) / count }

    /// The least first byte of a device's name in a shard, and the one that follows its greatest: 256 for the last.
    package func firstBytes(of shard: Int) -> Range<Int> {
        let width = 256 / ShardPlan.most
        return firstPartition(of: shard) * width..<firstPartition(of: shard + 1) * width
    }

    /// Whether this shard sends to a device.
    package func owns(_ device: DeviceID) -> Bool { count == 1 || shard(of: device) == own }
}
