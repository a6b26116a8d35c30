public import Kaspa

/// What a device registered: personal data, gone after an unregister.
public struct DeviceRecord: Equatable, Sendable {
    /// What an app lists among its capabilities that understands group messages.
    public static let groupCapability = "group_v1"

    /// The platforms that `POST /v1/push/register` takes.
    public enum Platform: UInt8, Sendable {
        case ios = 1
        case macos = 2
        case android = 3
        /// A browser.
        case web = 4
        /// An app that has its pushes from a distributor of UnifiedPush.
        case unifiedPush = 5

        /// Who carries the pushes of such a device.
        public var carrier: CarrierName {
            switch self {
            case .ios, .macos: .apns
            case .android: .fcm
            case .web, .unifiedPush: .webPush
            }
        }

        /// The word of the REST API.
        public var label: String {
            switch self {
            case .ios: "ios"
            case .macos: "macos"
            case .android: "android"
            case .web: "web"
            case .unifiedPush: "unifiedpush"
            }
        }
    }

    /// The keys with which a push is sealed for a browser (RFC 8291).
    public struct SubscriptionKeys: Equatable, Sendable {
        /// The browser's public key `p256dh`: an uncompressed point of P-256, 65 bytes.
        public var publicKey: [UInt8]
        /// The secret `auth`, 16 bytes.
        public var secret: [UInt8]

        /// The bytes of `publicKey`.
        public static let publicKeyBytes = 65
        /// The bytes of `secret`.
        public static let secretBytes = 16

        /// Keys that no push can be sealed with.
        static let none = SubscriptionKeys(
            publicKey: [UInt8](repeating: 0, count: publicKeyBytes), secret: [UInt8](repeating: 0, count: secretBytes))

        /// Takes keys of the right lengths.
        public init(publicKey: [UInt8], secret: [UInt8]) {
            self.publicKey = publicKey
            self.secret = secret
        }
    }

    /// The two shapes of a notification (app developer guide, "Receive").
    public enum PayloadFormat: UInt8, Sendable {
        case kasia = 1
        case kachat = 2
    }
    /// Which of Apple's two hosts a token is good at (operator guide, "Apple's two hosts").
    public enum Environment: UInt8, CaseIterable, Sendable {
        /// Builds that come from Xcode.
        case development = 1
        /// Builds from the App Store and TestFlight.
        case production = 2
    }

    /// What is known of a token's environment.
    public struct KnownEnvironment: Equatable, Sendable {
        /// Where notifications go first.
        public var environment: Environment
        /// Whether the app has said so; else Apple's answers have shown it, and may show another.
        public var isSaid: Bool

        /// Takes what an app said, or what an answer has shown.
        public init(_ environment: Environment, isSaid: Bool) {
            self.environment = environment
            self.isSaid = isSaid
        }
    }

    /// Of APNs the raw bytes of the device token, 32 to 256; of FCM the text of the registration token, 64 to 4,096; of
    /// Web Push the text of the endpoint, at most 1,000.
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
    /// The last use of the device key that last signed a registration of this token.
    ///
    /// Its counter is compared within this registration alone: a reinstalled app has its old key, a new token, and
    /// counts from 1 (R6).
    public var deviceKey: DeviceKeyUse?
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
    /// nil: not known, the operator's setting is taken.
    public var environment: KnownEnvironment?
    /// The raw bytes of the token for ringing, 32 to 256; empty: the device cannot be rung.
    public var voipToken: [UInt8] = []
    /// Of Web Push; else nil.
    public var subscriptionKeys: SubscriptionKeys?
    /// Names of channels as `ChannelName` has them; at most 64, without repeats.
    public var broadcastChannels: [String] = []
    /// By channel, whose broadcasts the device is not told of; at most 500 in all, without repeats.
    public var hiddenBroadcastSenders: [String: [Address]] = [:]

    /// A registration that is bound to no wallet and asks for no filters, unless given otherwise; repeats and bounds
    /// are the caller's part.
    public init(
        token: [UInt8], platform: Platform, createdAt: UInt64, lastSeen: UInt64, primaryAddress: Address? = nil,
        walletAddress: Address? = nil, deviceKey: DeviceKeyUse? = nil, watchedAddresses: [Address],
        aliases: [[UInt8]] = [], watchedGroupIDs: [[UInt8]] = [], capabilities: [String] = [],
        payloadFormat: PayloadFormat? = nil, watchOnlyAddresses: [Address] = []
    ) {
        self.token = token
        self.platform = platform
        self.createdAt = createdAt
        self.lastSeen = lastSeen
        self.primaryAddress = primaryAddress
        self.walletAddress = walletAddress
        self.deviceKey = deviceKey
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

    /// Whether the owner hides what this address broadcasts in a channel.
    public func hides(_ sender: Address, in channel: String) -> Bool {
        hiddenBroadcastSenders[channel]?.contains(sender) == true
    }

    /// The entries this registration has in the watch index.
    package var watchKeys: [WatchKey] {
        var keys: [WatchKey] = []
        keys.reserveCapacity(
            watchedAddresses.count + watchedGroupIDs.count + watchOnlyAddresses.count + broadcastChannels.count + 2)
        for address in watchedAddresses { keys.append(.address(address)) }
        for id in watchedGroupIDs { keys.append(.group(id)) }
        for address in watchOnlyAddresses { keys.append(.funds(address)) }
        for name in broadcastChannels { keys.append(.channel(name)) }
        if let primaryAddress {
            keys.append(.primary(primaryAddress))
            keys.append(.inbox(primaryAddress.inboxTag))
        }
        return keys
    }

    /// Whether it has the same entries there, given in the same order.
    func watchesTheSame(as other: DeviceRecord) -> Bool {
        watchedAddresses == other.watchedAddresses && watchedGroupIDs == other.watchedGroupIDs
            && watchOnlyAddresses == other.watchOnlyAddresses && broadcastChannels == other.broadcastChannels
            && primaryAddress == other.primaryAddress
    }

    /// How a row of this layout begins.
    ///
    /// A row of schema version 2 begins with its token's length in 32 bits, so with a zero.
    static let layout: UInt8 = 3

    /// First what a notification needs, then the rest.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 160 + watchedAddresses.count * 40)
        writer.write(DeviceRecord.layout)
        writer.write(variable: token)
        writer.write(payloadFormat?.rawValue ?? 0)
        writer.write(environment.map { $0.environment.rawValue | ($0.isSaid ? DeviceRecord.saidFlag : 0) } ?? 0)
        writer.write(platform.rawValue)
        if platform.carrier == .webPush {
            let keys = subscriptionKeys ?? .none
            writer.write(fixed: keys.publicKey)
            writer.write(fixed: keys.secret)
        }
        writer.write(createdAt)
        writer.write(lastSeen)
        writer.write(primaryAddress)
        writer.write(walletAddress)
        writer.write(optional: deviceKey) {
            $0.write(fixed: $1.keyID)
            $0.write($1.counter)
        }
        writer.write(list: watchedAddresses) { $0.write(variable: $1) }
        writer.write(list: aliases) { $0.write(variable: $1) }
        writer.write(list: watchedGroupIDs) { $0.write(variable: $1) }
        writer.write(list: capabilities) { $0.write(text: $1) }
        writer.write(list: watchOnlyAddresses) { $0.write(variable: $1) }
        writer.write(variable: voipToken)
        writer.write(list: broadcastChannels) { $0.write(text: $1) }
        writer.write(list: hiddenBroadcastSenders.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(text: entry.key)
            writer.write(list: entry.value) { $0.write(variable: $1) }
        }
        return writer.bytes
    }

    package init(encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        let target = try DeviceTarget(from: &reader)
        (token, payloadFormat, environment) = (target.token, target.payloadFormat, target.environment)
        (platform, subscriptionKeys) = (target.platform, target.subscriptionKeys)
        createdAt = try reader.readUInt64()
        lastSeen = try reader.readUInt64()
        primaryAddress = try reader.readAddress(on: network)
        walletAddress = try reader.readAddress(on: network)
        deviceKey = try reader.readOptional { (reader) throws(StoreError) in
            DeviceKeyUse(
                keyID: Array(try reader.read(count: DeviceKeyUse.idByteCount)), counter: try reader.readUInt64())
        }
        watchedAddresses = try reader.readAddresses(on: network)
        aliases = try reader.readList { (reader) throws(StoreError) in try reader.readVariable() }
        watchedGroupIDs = try reader.readList { (reader) throws(StoreError) in try reader.readVariable() }
        capabilities = try reader.readList { (reader) throws(StoreError) in try reader.readText() }
        watchOnlyAddresses = try reader.readAddresses(on: network)
        voipToken = try reader.readVariable()
        broadcastChannels = try reader.readList { (reader) throws(StoreError) in try reader.readText() }
        let hidden = try reader.readList { (reader) throws(StoreError) in
            (try reader.readText(), try reader.readAddresses(on: network))
        }
        guard zip(hidden, hidden.dropFirst()).allSatisfy({ $0.0 < $1.0 }) else {
            throw ByteReader.corrupt("hidden senders")
        }
        hiddenBroadcastSenders = Dictionary(hidden) { first, _ in first }
        try reader.finish()
    }

    /// In the byte of the environment: the app has said it.
    fileprivate static let saidFlag: UInt8 = 0x80
}

extension ByteReader {
    /// A list of addresses.
    mutating func readAddresses(on network: Network) throws(StoreError) -> [Address] {
        try readList { (reader) throws(StoreError) in try reader.readVariableAddress(on: network) }
    }
}

/// What a notification needs to know of a device.
public struct DeviceTarget: Equatable, Sendable {
    /// The device's token, as `DeviceRecord` has it.
    public var token: [UInt8]
    /// nil: the operator's default.
    public var payloadFormat: DeviceRecord.PayloadFormat?
    /// nil: not known, the operator's setting is taken.
    public var environment: DeviceRecord.KnownEnvironment?
    /// What the app runs on.
    public var platform: DeviceRecord.Platform
    /// Of Web Push; else nil.
    public var subscriptionKeys: DeviceRecord.SubscriptionKeys?

    /// What a push to this registration needs.
    public init(_ device: DeviceRecord) {
        token = device.token
        payloadFormat = device.payloadFormat
        environment = device.environment
        platform = device.platform
        subscriptionKeys = device.subscriptionKeys
    }

    /// Reads the beginning of a `DeviceRecord`'s row and leaves the rest.
    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        try self.init(from: &reader)
    }

    fileprivate init(from reader: inout ByteReader) throws(StoreError) {
        guard try reader.readUInt8() == DeviceRecord.layout else { throw ByteReader.corrupt("device layout") }
        token = try reader.readVariable()
        payloadFormat = try DeviceTarget.format(try reader.readUInt8())
        environment = try DeviceTarget.environment(try reader.readUInt8())
        guard let platform = DeviceRecord.Platform(rawValue: try reader.readUInt8()) else {
            throw ByteReader.corrupt("platform")
        }
        self.platform = platform
        guard platform.carrier == .webPush else { return }
        subscriptionKeys = DeviceRecord.SubscriptionKeys(
            publicKey: Array(try reader.read(count: DeviceRecord.SubscriptionKeys.publicKeyBytes)),
            secret: Array(try reader.read(count: DeviceRecord.SubscriptionKeys.secretBytes)))
    }

    /// The environment that a byte says; 0 is none.
    private static func environment(_ byte: UInt8) throws(StoreError) -> DeviceRecord.KnownEnvironment? {
        guard byte != 0 else { return nil }
        guard let known = DeviceRecord.Environment(rawValue: byte & ~DeviceRecord.saidFlag) else {
            throw ByteReader.corrupt("environment")
        }
        return .init(known, isSaid: byte & DeviceRecord.saidFlag != 0)
    }

    /// The payload format that a byte says; 0 is none.
    static func format(_ byte: UInt8) throws(StoreError) -> DeviceRecord.PayloadFormat? {
        guard byte != 0 else { return nil }
        guard let format = DeviceRecord.PayloadFormat(rawValue: byte) else {
            throw ByteReader.corrupt("payload format")
        }
        return format
    }
}

extension DeviceRecord: CustomStringConvertible {
    /// The device's short name: a record that ends up in a log or a message shows neither token nor addresses.
    public var description: String { "device \(id)" }
}
