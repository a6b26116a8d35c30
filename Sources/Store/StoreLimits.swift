/// How much history the store keeps, and how much space it leaves.
///
/// The defaults are the service's, but for the free space, which is the operator's to say (`store.min_free_space`).
public struct StoreLimits: Sendable {
    /// Log rows of one device: the newest ones.
    ///
    /// An app that was away for longer reads the messages themselves.
    public var logPerDevice: UInt64 = 1_000
    /// Deliveries that wait for one device, at least 2: the newest ones, and the first, which may be on its way.
    ///
    /// What is dropped stays in the log: with the next notification, or at its next start, the app asks for it.
    public var queuedPerDevice: UInt32 = 500
    /// Deliveries that wait for a device whose token its carrier has neither accepted nor refused; what comes beyond them is
    /// not queued.
    ///
    /// More than those of a refused one: a new phone's first messages may come all at once.
    public var queuedBeforeAnswer: UInt32 = 100
    /// Of what comes beyond those, so much is at least in the log, as long as the device has no greater number: the app
    /// of a new phone finds it when it asks what it missed.
    public var numberedBeforeAnswer: UInt64 = 300
    /// The same of a token that its carrier has refused and never accepted.
    public var queuedOnProbation: UInt32 = 5
    /// Watchers that were looked at when an event counts as a long one: others go before it.
    public var longWalk: UInt64 = 256
    /// Dead letters of all devices: the newest ones, some 20 MB.
    public var deadLetters: UInt64 = 100_000
    /// Changes of activity that streams can be resumed from: the newest ones, some 100 MB; at least 1.
    public var changes: UInt64 = 1_000_000
    /// What makes an accepted item a confirmed one: so much growth of the virtual chain since, in blue score.
    public var confirmations: UInt64 = 100
    /// Devices that may be registered; at least 1.
    public var devices: UInt64 = 1_000_000
    /// With less free space on its disk, bytes, the store takes in nothing new; with an eighth of that it writes
    /// nothing, and with less than twice that much it takes in no registration.
    ///
    /// 0: it writes until the disk is full.
    public var minimumFreeBytes: UInt64 = 0
    /// The log's age, and that of dead letters, milliseconds: 7 days.
    public static let logAge: UInt64 = 7 * 86_400_000

    /// The numbers above.
    public init() {}
}
