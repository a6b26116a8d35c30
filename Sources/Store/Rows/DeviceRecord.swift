public import Kaspa

/// What a device registered: personal data, gone after an unregister.
public struct DeviceRecord: Equatable, Sendable {
    /// The platforms that `POST /v1/push/register` takes.
    public enum Platform: UInt8, Sendable {
        case ios = 1
        case macos = 2
    }
    /// The two shapes of a notification (push.md).
    public enum PayloadFormat: UInt8, Sendable {
        case kasia = 1
        case kachat = 2
    }

    /// The raw bytes of the APNs device token, 32 to 256.
    public var token: [UInt8]
    /// What the app runs on; iOS for a device that never said.
    public var platform: Platform
    /// When this registration began, milliseconds since 1970; renewals keep it.
    public var createdAt: UInt64
    /// When it was last renewed, milliseconds since 1970.
    public var lastSeen: UInt64
    /// The owner's own address, whose payments and handshakes the device is told of; nil: those of its watched
    /// addresses.
    public var primaryAddress: Address?
    /// The address of the wallet that the token is bound to.
    public var walletAddress: Address?
    /// The SHA-256 of the device key that last signed a registration; 32 bytes.
    public var deviceKeyID: [UInt8]?
    /// At most 256, without repeats, in the order given.
    public var watchedAddresses: [Address]
    /// If there are any, only contextual messages under one of them are told; UTF-8, at most 256 of at most 64 bytes.
    public var aliases: [[UInt8]]
    /// Blinded group ids of 32 bytes; at most 256, without repeats.
    public var watchedGroupIDs: [[UInt8]]
    /// What the app can take, in lower case, such as `group_v1`; at most 32 of at most 64 bytes, without repeats.
    public var capabilities: [String]
    /// nil: the operator's default.
    public var payloadFormat: PayloadFormat?
    /// The owner's own addresses whose funds are told of; at most 200, without repeats, in the order given.
    public var watchOnlyAddresses: [Address]

    /// A registration that is bound to no wallet and asks for no filters, unless given otherwise; repeats and bounds
    /// are the caller's part.
    public init(
        token: [UInt8], platform: Platform, createdAt: UInt64, lastSeen: UInt64, primaryAddress: Address? = nil,
        walletAddress: Address? = nil, deviceKeyID: [UInt8]? = nil, watchedAddresses: [Address],
        aliases: [[UInt8]] = [], watchedGroupIDs: [[UInt8]] = [], capabilities: [String] = [],
        payloadFormat: PayloadFormat? = nil, watchOnlyAddresses: [Address] = []
    ) {
        self.token = token
        self.platform = platform
        self.createdAt = createdAt
        self.lastSeen = lastSeen
        self.primaryAddress = primaryAddress
        self.walletAddress = walletAddress
        self.deviceKeyID = deviceKeyID
        self.watchedAddresses = watchedAddresses
        self.aliases = aliases
        self.watchedGroupIDs = watchedGroupIDs
        self.capabilities = capabilities
        self.payloadFormat = payloadFormat
        self.watchOnlyAddresses = watchOnlyAddresses
    }

    /// The device's name in the store, which follows from the token.
    public var id: DeviceID { DeviceID(token: token) }

    /// Whether `address` is the device owner's own.
    public func owns(_ address: Address) -> Bool {
        primaryAddress == address || walletAddress == address
    }

    /// The entries this registration has in the watch index.
    var watchKeys: Set<WatchKey> {
        var keys = Set(watchedAddresses.map(WatchKey.address))
        keys.formUnion(watchedGroupIDs.map(WatchKey.group))
        keys.formUnion(watchOnlyAddresses.map(WatchKey.funds))
        if let primaryAddress { keys.insert(.primary(primaryAddress)) }
        return keys
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 128 + watchedAddresses.count * 40)
        writer.write(variable: token)
        writer.write(platform.rawValue)
        writer.write(createdAt)
        writer.write(lastSeen)
        writer.write(primaryAddress)
        writer.write(walletAddress)
        writer.write(optional: deviceKeyID) { $0.write(fixed: $1) }
        writer.write(list: watchedAddresses) { $0.write(variable: $1.storageKey) }
        writer.write(list: aliases) { $0.write(variable: $1) }
        writer.write(list: watchedGroupIDs) { $0.write(variable: $1) }
        writer.write(list: capabilities) { $0.write(text: $1) }
        let format = payloadFormat?.rawValue ?? 0
        guard !watchOnlyAddresses.isEmpty else {
            writer.write(format)
            return writer.bytes
        }
        writer.write(format | DeviceRecord.watchOnlyFlag)
        writer.write(list: watchOnlyAddresses) { $0.write(variable: $1.storageKey) }
        return writer.bytes
    }

    init(encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        token = try reader.readVariable()
        guard let platform = Platform(rawValue: try reader.readUInt8()) else { throw ByteReader.corrupt("platform") }
        self.platform = platform
        createdAt = try reader.readUInt64()
        lastSeen = try reader.readUInt64()
        primaryAddress = try reader.readAddress(on: network)
        walletAddress = try reader.readAddress(on: network)
        deviceKeyID = try reader.readOptional { (reader) throws(StoreError) in
            Array(try reader.read(count: DeviceKeyUse.idByteCount))
        }
        watchedAddresses = try DeviceRecord.readAddresses(from: &reader, network)
        aliases = try reader.readList { (reader) throws(StoreError) in try reader.readVariable() }
        watchedGroupIDs = try reader.readList { (reader) throws(StoreError) in try reader.readVariable() }
        capabilities = try reader.readList { (reader) throws(StoreError) in try reader.readText() }
        let flags = try reader.readUInt8()
        payloadFormat = try DeviceRecord.format(of: flags)
        let hasWatchOnly = flags & DeviceRecord.watchOnlyFlag != 0
        watchOnlyAddresses = hasWatchOnly ? try DeviceRecord.readAddresses(from: &reader, network) : []
        guard hasWatchOnly != watchOnlyAddresses.isEmpty else { throw ByteReader.corrupt("watch-only addresses") }
        try reader.finish()
    }

    /// The payload format that a row's byte of flags says; nil: the operator's default.
    fileprivate static func format(of flags: UInt8) throws(StoreError) -> PayloadFormat? {
        let format = flags & ~watchOnlyFlag
        guard format != 0 else { return nil }
        guard let format = PayloadFormat(rawValue: format) else { throw ByteReader.corrupt("payload format") }
        return format
    }

    /// In the byte of the payload format: a list of watch-only addresses follows.
    ///
    /// Without them a row is what it was before there were any.
    private static let watchOnlyFlag: UInt8 = 0x80

    private static func readAddresses(
        from reader: inout ByteReader, _ network: Network
    ) throws(StoreError) -> [Address] {
        try reader.readList { (reader) throws(StoreError) in
            guard let address = Address(storageKey: try reader.readVariable(), network: network) else {
                throw ByteReader.corrupt("watched address")
            }
            return address
        }
    }
}

/// What a notification needs to know of a device.
public struct DeviceTarget: Equatable, Sendable {
    /// The raw bytes of the APNs device token, 32 to 256.
    public var token: [UInt8]
    /// nil: the operator's default.
    public var payloadFormat: DeviceRecord.PayloadFormat?

    /// Reads a `DeviceRecord`'s row and passes over the watch lists.
    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        token = try reader.readVariable()
        // The platform, and the times of the registration; the addresses; the key.
        try reader.skip(count: 1 + 8 + 8)
        try reader.skipOptional()
        try reader.skipOptional()
        try reader.skipOptional { (reader) throws(StoreError) in try reader.skip(count: DeviceKeyUse.idByteCount) }
        // Watched addresses, aliases, group ids, capabilities.
        for _ in 0..<4 { try reader.skipList() }
        payloadFormat = try DeviceRecord.format(of: try reader.readUInt8())
    }
}

extension DeviceRecord: CustomStringConvertible {
    /// The device's short name: a record that ends up in a log or a message shows neither token nor addresses.
    public var description: String { "device \(id)" }
}

/// What deliveries change about a device; kept beside the registration so that a push does not rewrite its watch list.
public struct DeviceState: Equatable, Sendable {
    /// The last `seq` given out; 0 before the first delivery.
    public var lastSeq: UInt64 = 0
    /// How often in a row Apple called the token invalid.
    public var strikes: UInt32 = 0
    /// Where the device's first waiting delivery stands in the schedule; nil when none waits.
    public var scheduled: Scheduled?

    /// A place in the schedule, without the device that it is of.
    public struct Scheduled: Equatable, Sendable {
        /// The number of the delivery that stands there.
        public var seq: UInt64
        /// When it is its turn, milliseconds since 1970.
        public var due: UInt64
        /// Which of the two lanes it stands in.
        public var lane: ScheduleKey.Lane

        func key(of device: DeviceID) -> ScheduleKey {
            ScheduleKey(lane: lane, due: due, device: device, seq: seq)
        }
    }

    /// A device that was never told anything.
    public init() {}

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        writer.write(lastSeq)
        writer.write(strikes)
        writer.write(optional: scheduled) {
            $0.write($1.seq)
            $0.write($1.due)
            $0.write($1.lane.rawValue)
        }
        return writer.bytes
    }

    /// Whether a row says that something waits; false for a damaged one, too.
    static func isWaiting(_ encoded: [UInt8]) -> Bool {
        // Behind the number and the strikes, as below.
        encoded.count > 12 && encoded[12] == 1
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        lastSeq = try reader.readUInt64()
        strikes = try reader.readUInt32()
        scheduled = try reader.readOptional { (reader) throws(StoreError) in
            let seq = try reader.readUInt64()
            let due = try reader.readUInt64()
            guard let lane = ScheduleKey.Lane(rawValue: try reader.readUInt8()) else {
                throw ByteReader.corrupt("lane")
            }
            return Scheduled(seq: seq, due: due, lane: lane)
        }
        try reader.finish()
    }
}
