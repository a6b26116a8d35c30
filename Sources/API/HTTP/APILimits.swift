/// The limits of http-api.md, and of what a request may look like.
enum APILimits {
    static let bodyBytes = 64 * 1024
    /// Of calls about registrations: the longest lists that these limits allow, with room for what apps send beside them.
    static let registrationBodyBytes = 128 * 1024
    /// The request line's target; a device token in a query has 512 digits at most.
    static let targetBytes = 4096
    /// All names and values of the headers together.
    static let headerBytes = 8192
    /// Where the parser gives up: above both limits, so that what is a little too large is still answered by name.
    static let parserBytes = 64 * 1024
    static let headerCount = 128
    /// Connections beyond `http.max_connections` that are taken from the system to wait for their turn.
    static let waitingConnections = 64
    /// Streams of the status page, apart from the apps' streams, so that these cannot shut an operator out.
    static let statusStreams = 8
    /// Of these, what one client address may have.
    static let statusStreamsPerClient = 4
    static let tokenDigits = 64...512
    static let watchedAddresses = 256
    static let watchOnlyAddresses = 200
    static let addressBytes = 128
    static let aliases = 256
    static let aliasBytes = 64
    /// Of a scope that is asked for; the chain may hold longer ones.
    static let scopeBytes = 64
    static let groupIDs = 256
    static let groupIDBytes = 32
    /// Of one call that reads for many groups.
    static let batchedQueries = 64
    /// Group ids, or senders, of one call that reads what is new of all of them.
    static let mergedLists = 256
    static let capabilities = 32
    static let capabilityBytes = 64
    static let broadcastChannels = 64
    /// In all channels together.
    static let hiddenBroadcastSenders = 500
}
