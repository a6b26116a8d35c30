public import Kaspa
public import Store

/// A valid registration as an app asked for it; `API` checks shapes and limits before one is made.
public struct Registration: Equatable, Sendable {
    /// The token's raw bytes.
    public var token: [UInt8]
    /// nil in an update: the platform stays, or is iOS for a new device.
    public var platform: DeviceRecord.Platform?
    public var watchedAddresses: [Address]
    public var primaryAddress: Address?
    public var aliases: [[UInt8]]
    public var watchedGroupIDs: [[UInt8]]
    public var capabilities: [String]
    public var payloadFormat: DeviceRecord.PayloadFormat?
    /// Own addresses whose funds are told of.
    public var watchOnlyAddresses: [Address]

    public init(
        token: [UInt8], platform: DeviceRecord.Platform?, watchedAddresses: [Address], primaryAddress: Address? = nil,
        aliases: [[UInt8]] = [], watchedGroupIDs: [[UInt8]] = [], capabilities: [String] = [],
        payloadFormat: DeviceRecord.PayloadFormat? = nil, watchOnlyAddresses: [Address] = []
    ) {
        self.token = token
        self.platform = platform
        self.watchedAddresses = watchedAddresses
        self.primaryAddress = primaryAddress
        self.aliases = aliases
        self.watchedGroupIDs = watchedGroupIDs
        self.capabilities = capabilities
        self.payloadFormat = payloadFormat
        self.watchOnlyAddresses = watchOnlyAddresses
    }
}
