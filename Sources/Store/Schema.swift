import Crypto
public import Kaspa

/// Every column family of the store: this file is the map of names, keys and values.
///
/// All integers are big-endian, so that key order is numeric order. `address` is `Address.storageKey`: the version byte
/// and the payload, 33 or 34 bytes, told apart by the version; the network is the store's, kept once in `meta`.
/// `device` is `DeviceID`: the first 16 bytes of the token's SHA-256, so keys that lead with it are spread evenly and
/// its first bits are the partition. `seq` numbers a device's deliveries from 1. Times are milliseconds since 1970.
///
/// | family | key | value |
/// |---|---|---|
/// | `meta` | a name in ASCII (`MetaKey`) | by name |
/// | `operations` | transaction id 32 | `OperationRecord` |
/// | `operation_lists` | `OperationList` 52, block time 8, transaction id 32 | empty: what the API lists |
/// | `accepted` | accepting block 32, transaction id 32 | empty: what a removed chain block takes back, within reach |
/// | `group_bindings` | blinded group id 32 | x-only key 32 of the first sender |
/// | `enqueued` | transaction id 32 | time 8, event 8 (0: for nobody): a transaction becomes an event once |
/// | `enqueued_by_time` | time 8, transaction id 32 | empty: prunes `enqueued` |
/// | `devices` | device 16 | `DeviceRecord` |
/// | `device_states` | device 16 | `DeviceState` |
/// | `watchers` | subject 35 (`WatchKey`), device 16 | empty |
/// | `events` | event 8 | `PushEvent`: accepted, not yet turned into deliveries for all its devices |
/// | `deliveries` | device 16, seq 8 | `Delivery`: waits, is in flight, or waits again |
/// | `schedule` | partition 1, carrier and lane 1, due 8, device 16, seq 8 | empty: the first delivery of each device |
/// | `wallet_devices` | wallet's `address`, device 16 | empty: the devices bound to a wallet, at most 20 |
/// | `delivery_log` | device 16, seq 8 | `DeliveryLogEntry`: what a device was told, 7 days, the newest 1,000; of one that waits only once it was tried |
/// | `delivery_log_by_time` | queued 8, device 16, seq 8 | empty: prunes `delivery_log`, and finds an event's deliveries, those that wait among them |
/// | `unresolved` | transaction id 32 | `UnresolvedSender`: accepted, and the node is asked who sent it |
/// | `unresolved_times` | 0 or 1, time 8, transaction id 32 | empty: deadlines (0) and next questions (1) |
/// | `dead_letters` | queued 8, device 16, seq 8 | `Delivery`: given up; its log row says why, and outlives it |
/// | `transfers` | transaction id 32 | `TransferRecord`: a plain transfer that touched a watched address |
/// | `recent_funds` | device 16, and for other limits than that on funds `HourlyLimit` 1 | `RecentPushes`: the last hour's, at most 30; of strangers 121 |
/// | `reverted` | transaction id 32 | `RevertedRecord`: was queued, is out of the chain; goes with its marker |
/// | `changes` | number 8 | `ActivityChange`: what happened to an item of activity, the newest 1,000,000 |
/// | `unconfirmed` | accepting block's blue score 8, transaction id 32 | `UnconfirmedItem`: accepted lately |
/// | `retractions` | due 8, transaction id 32 | empty: payments that are out, to be corrected unless they come back |
/// | `used_nonces` | expiry 8, nonce 16 | empty: a signed request came with it; ten minutes beyond its expiry |
/// | `released_bindings` | 0, device 16 | `ReleasedBinding`: whose a token was that another key unregistered, 7 days |
/// | `released_bindings` | 1, time 8, device 16 | empty: prunes them |
///
/// The last eight came later. An older store gets them when it is opened, and its rows stay as they are: what the newer
/// rows have more stands at their end, where a kind or a flag that older rows lack announces it. So the version did not
/// change; an older program refuses a store that has a family it does not know. What changes rows has a version and a
/// migration (`SchemaMigration`).
///
/// After an unregister nothing is left of the device: its rows in `devices`, `device_states`, `watchers`,
/// `wallet_devices`, `deliveries`, `delivery_log`, `dead_letters`, `recent_funds` and `schedule` go in one batch, and
/// with its row the last counter of its device key. A later registration counts anew, which opens nothing: a signature
/// is good for one nonce, and a nonce is used once: `used_nonces` outlives the device, and so does `released_bindings`.
public enum ColumnFamily: String, CaseIterable, Sendable {
    case meta
    case operations
    case accepted
    case groupBindings = "group_bindings"
    case enqueued
    case enqueuedByTime = "enqueued_by_time"
    case devices
    case deviceStates = "device_states"
    case watchers
    case events
    case deliveries
    case schedule
    case walletDevices = "wallet_devices"
    case deliveryLog = "delivery_log"
    case deliveryLogByTime = "delivery_log_by_time"
    case deadLetters = "dead_letters"
    case operationLists = "operation_lists"
    case unresolved
    case unresolvedTimes = "unresolved_times"
    case transfers
    case recentFunds = "recent_funds"
    case reverted
    case retractions
    case changes
    case unconfirmed
    case usedNonces = "used_nonces"
    case releasedBindings = "released_bindings"

    /// Whether each shard has one of its own; the others are shard 0's.
    package var isOfEachShard: Bool {
        switch self {
        case .meta, .devices, .deviceStates, .events, .deliveries, .schedule, .deliveryLog, .deliveryLogByTime,
            .deadLetters, .recentFunds:
            true
        default: false
        }
    }

    /// How a family is read, which decides its filters.
    enum Access { case scans, pointLookups, watchIndex, byDevice }

    var access: Access {
        switch self {
        case .operations, .enqueued, .devices, .deviceStates, .groupBindings, .deliveryLog, .unresolved,
            .transfers, .recentFunds, .reverted:
            .pointLookups
        case .watchers: .watchIndex
        case .deliveries: .byDevice
        case .meta, .accepted, .enqueuedByTime, .events, .schedule, .walletDevices,
            .deliveryLogByTime, .deadLetters, .operationLists, .unresolvedTimes, .retractions, .changes, .unconfirmed,
            .usedNonces, .releasedBindings:
            .scans
        }
    }

    /// How many first bytes of a key have a filter of their own; nil: none.
    var prefixBytes: Int? {
        switch access {
        case .watchIndex: WatchKey.prefixBytes
        case .byDevice: DeviceID.byteCount
        case .scans, .pointLookups: nil
        }
    }

    /// Position in `allCases`; handles are kept in that order.
    package var index: Int {
        switch self {
        case .meta: 0
        case .operations: 1
        case .accepted: 2
        case .groupBindings: 3
        case .enqueued: 4
        case .enqueuedByTime: 5
        case .devices: 6
        case .deviceStates: 7
        case .watchers: 8
        case .events: 9
        case .deliveries: 10
        case .schedule: 11
        case .walletDevices: 12
        case .deliveryLog: 13
        case .deliveryLogByTime: 14
        case .deadLetters: 15
        case .operationLists: 16
        case .unresolved: 17
        case .unresolvedTimes: 18
        case .transfers: 19
        case .recentFunds: 20
        case .reverted: 21
        case .retractions: 22
        case .changes: 23
        case .unconfirmed: 24
        case .usedNonces: 25
        case .releasedBindings: 26
        }
    }

    /// Whether all keys of a scan between two keys begin with the same prefix.
    func staysWithinPrefix(_ lower: [UInt8], _ upper: [UInt8]) -> Bool {
        guard let prefixBytes, lower.count >= prefixBytes else { return false }
        if upper.starts(with: lower.prefix(prefixBytes)) { return true }
        // Else the upper bound has to be what follows the prefix: `KeyBytes.successor`, compared in place.
        var last = prefixBytes - 1
        while last >= 0, lower[last] == 0xff { last -= 1 }
        return last >= 0 && upper.count == last + 1 && upper[last] == lower[last] + 1
            && upper.starts(with: lower.prefix(last))
    }
}

/// The version of the layouts above.
///
/// An older store is migrated when it is opened, a newer one refused.
///
/// 1 was the first. 2 lists group messages and broadcasts by sender, and knows of an operation when it was accepted and
/// that it was taken out. 3 keeps the counter of a device key with the registration that it signed, and no table of
/// keys; registrations know their environment, token for ringing and channels, and are found by their inbox tag;
/// broadcasts are listed under the name of their channel as names are compared, too. 4 knows which tokens Apple has
/// accepted, and how many deliveries wait for each device. 5 keeps what a payload says: with an operation all of it
/// (`ParsedPayload`), with an event what of it says who is told (`PushSubject`). 6 knows carriers other than APNs: no
/// older row changes, but an older program cannot read a registration for one, nor finds its place in the schedule. 7
/// knows what a transaction's fee is: no older row changes, but an older program cannot read a row with one. 8 has no row
/// in the log of a delivery that waits: no older row changes, but an older program would take it for forgotten. 9 leaves a
/// device's state as it is when its only delivery ends: no older row changes, but an older program would never send to that
/// device again.
public enum SchemaVersion {
    /// The version that this program writes, and the newest that it reads.
    public static let current: UInt32 = 9
    /// The oldest version whose rows are read as they are: nothing has to be migrated.
    package static let oldestAlike: UInt32 = 7

    /// The value in `meta`.
    package static var encoded: [UInt8] { encoded(current) }

    package static func encoded(_ version: UInt32) -> [UInt8] {
        var writer = ByteWriter(capacity: 4)
        writer.write(version)
        return writer.bytes
    }
}

/// The names in `meta`.
package enum MetaKey {
    /// `UInt32`: `SchemaVersion`.
    package static let schemaVersion = Array("schema_version".utf8)
    /// `MigrationPlace`: there while older rows are being brought to the version above.
    static let migration = Array("migration".utf8)
    /// The network's name in ASCII: a store never changes networks.
    package static let network = Array("network".utf8)
    /// `ChainCursor`: the last chain block applied.
    static let cursor = Array("virtual_chain_cursor".utf8)
    /// `ChainGap`: the last stretch of the chain that was pruned before it was read.
    static let lastGap = Array("last_gap".utf8)
    /// `ClockReading`: what the clocks showed some seconds ago, or when deliveries became due since.
    package static let clock = Array("clock".utf8)
    /// `UInt64`: the last event number given out.
    package static let lastEvent = Array("last_event".utf8)
    /// `UInt64`: the last number in `changes`.
    static let lastChange = Array("last_change".utf8)
    /// An opaque value of the APNs client: its provider token and when it was issued.
    static let providerToken = Array("provider_token".utf8)
    /// `UInt64`: the number of the last order that a shard other than 0 has taken over.
    package static let takenOrder = Array("taken_order".utf8)
    /// `UInt64`: the number up to which nothing is on its way to devices that orders have removed.
    package static let clearedOrder = Array("cleared_order".utf8)
    /// `UInt64`, of shard 0: the number of the last order to another shard.
    package static func lastOrder(toShard shard: Int) -> [UInt8] { Array("last_order_\(shard)".utf8) }
    /// 32 random bytes: the key of the MAC in nonces.
    static let nonceKey = Array("nonce_key".utf8)
    /// Of schema version 2, gone with its table of device keys.
    static let ofDeviceKeys = [Array("last_retired_device_key".utf8), Array("count_retired_device_keys".utf8)]
}

/// What a device can watch: the first 35 bytes of a key in `watchers`.
public enum WatchKey: Hashable, Sendable {
    /// An address in the device's watch list.
    case address(Address)
    /// The device's primary address.
    case primary(Address)
    /// A blinded group id, 32 bytes.
    case group([UInt8])
    /// An address of the device owner's that is watched for funds only.
    case funds(Address)
    /// The inbox tag of the device's primary address, 16 bytes.
    case inbox([UInt8])
    /// A channel's name, as `ChannelName` has it.
    case channel(String)

    /// How keys in `watchers` begin that are about funds.
    static let fundsTag: UInt8 = 3

    /// A tag byte and the subject, padded with zeros to the longest address: the index's prefix filter has one length.
    static let prefixBytes = 35

    /// The device at the end of a key in `watchers`, after the `count` bytes of `StoreReading.watchIndexKey`.
    static func device(ofKey key: UnsafeRawBufferPointer, after count: Int) throws(StoreError) -> DeviceID {
        var reader = ByteReader(key)
        try reader.skip(count: count)
        let device = try reader.readDeviceID()
        try reader.finish()
        return device
    }

    /// The 35 bytes with which keys in `watchers` begin: a tag and the subject, padded with zeros.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(WatchKey.prefixBytes + DeviceID.byteCount)
        switch self {
        case .address(let address):
            bytes.append(0)
            address.appendStorageKey(to: &bytes)
        case .primary(let address):
            bytes.append(1)
            address.appendStorageKey(to: &bytes)
        case .group(let id):
            bytes.append(2)
            bytes.append(contentsOf: id)
        case .funds(let address):
            bytes.append(WatchKey.fundsTag)
            address.appendStorageKey(to: &bytes)
        case .inbox(let tag):
            bytes.append(4)
            bytes.append(contentsOf: tag)
        case .channel(let name):
            bytes.append(5)
            // A name may be longer than the key; half of a SHA-256 is as good as the name itself.
            bytes.append(contentsOf: SHA256.hash(data: Array(name.utf8)).prefix(16))
        }
        bytes.append(contentsOf: repeatElement(0, count: max(0, WatchKey.prefixBytes - bytes.count)))
        return bytes
    }
}

/// A delivery's place in line: partition, carrier, lane, due time, device, seq.
///
/// Each carrier has lanes of its own, so one that takes nothing holds nobody else up.
public struct ScheduleKey: Hashable, Sendable {
    /// Ordinary deliveries go before bulk ones: retries, and the far end of a long watcher list.
    public enum Lane: UInt8, CaseIterable, Sendable {
        case ordinary = 0
        case bulk = 1
        /// All deliveries of the devices whose token its carrier has never accepted.
        case probation = 2
    }

    static let byteCount = 2 + 8 + DeviceID.byteCount + 8

    /// Who carries it.
    public var carrier: CarrierName
    /// Which of the carrier's lanes.
    public var lane: Lane
    /// Milliseconds since 1970.
    public var due: UInt64
    /// Whose turn it is; the first bits say the partition.
    public var device: DeviceID
    /// The device's number for its first waiting delivery.
    public var seq: UInt64

    /// A place in line; the partition follows from the device.
    public init(carrier: CarrierName = .apns, lane: Lane, due: UInt64, device: DeviceID, seq: UInt64) {
        self.carrier = carrier
        self.lane = lane
        self.due = due
        self.device = device
        self.seq = seq
    }

    /// The 34 bytes of the key in `schedule`.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: ScheduleKey.byteCount)
        writer.write(device.partition)
        writer.write(ScheduleKey.byte(carrier, lane))
        writer.write(due)
        writer.write(device)
        writer.write(seq)
        return writer.bytes
    }

    init(_ key: UnsafeRawBufferPointer) throws(StoreError) {
        var reader = ByteReader(key)
        let partition = try reader.readUInt8()
        (carrier, lane) = try ScheduleKey.readLane(&reader)
        due = try reader.readUInt64()
        device = try reader.readDeviceID()
        seq = try reader.readUInt64()
        try reader.finish()
        guard partition == device.partition else { throw ByteReader.corrupt("schedule partition") }
    }

    /// The first possible key of a carrier's lane in a partition.
    static func start(partition: UInt8, carrier: CarrierName, lane: Lane) -> [UInt8] {
        [partition, byte(carrier, lane)]
    }

    /// Carrier and lane as they stand in rows: four bits each.
    static func byte(_ carrier: CarrierName, _ lane: Lane) -> UInt8 { carrier.rawValue << 4 | lane.rawValue }

    /// Reads what `byte` wrote.
    static func readLane(_ reader: inout ByteReader) throws(StoreError) -> (CarrierName, Lane) {
        let byte = try reader.readUInt8()
        guard let carrier = CarrierName(rawValue: byte >> 4), let lane = Lane(rawValue: byte & 0x0f) else {
            throw ByteReader.corrupt("lane")
        }
        return (carrier, lane)
    }
}
