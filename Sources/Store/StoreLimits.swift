/// How much history the store keeps, and how much space it leaves.
///
/// The defaults are the service's, but for the free space, which is the operator's to say (`store.min_free_space`).
public struct StoreLimits: Sendable {
    /// Log rows of one device: the newest ones.
    ///
    /// An app that was away for longer reads the messages themselves.
    public var logPerDevice: UInt64 = 1_000
    /// Dead letters of all devices: the newest ones, some 20 MB.
    public var deadLetters: UInt64 = 100_000
    /// Changes of activity that streams can be resumed from: the newest ones, some 100 MB; at least 1.
    public var changes: UInt64 = 1_000_000
    /// What makes an accepted item a confirmed one: so much growth of the virtual chain since, in blue score.
    public var confirmations: UInt64 = 100
    /// With less free space on its disk, bytes, the store takes in nothing new; with an eighth of that it writes
    /// nothing.
    ///
    /// 0: it writes until the disk is full.
    public var minimumFreeBytes: UInt64 = 0
    /// The log's age, and that of dead letters, milliseconds: 7 days (http-api.md).
    public static let logAge: UInt64 = 7 * 86_400_000

    /// The numbers above.
    public init() {}
}
