/// The limits of requests.
///
/// Those of request bodies are in `openapi.json` too, and a test compares them.
enum APILimits {
    static let bodyBytes = 64 * 1024
    /// The same for registration calls: the longest lists that these limits allow, with room for the other members.
    static let registrationBodyBytes = 128 * 1024
    /// The request line's target.
    ///
    /// A device token in a query has at most 4,096 characters, or 3,000 if it is an endpoint and escaped.
    static let targetBytes = 8192
    /// All names and values of the headers together.
    static let headerBytes = 8192
    /// The parser's limit.
    ///
    /// It is above both, so that a request that is a little too large still gets its own error.
    static let parserBytes = 64 * 1024
    static let headerCount = 128
    /// Connections beyond `http.max_connections` that are accepted and wait.
    static let waitingConnections = 64
    /// Streams of the status page.
    ///
    /// They are separate from the apps' streams, which cannot use up an operator's.
    static let statusStreams = 8
    /// The same for one client address.
    static let statusStreamsPerClient = 4
    /// Hex digits of Apple's device token.
    static let tokenDigits = 64...512
    /// Characters of an FCM registration token.
    static let fcmTokenCharacters = 64...4096
    /// The endpoint of a Web Push subscription.
    static let endpointBytes = 1000
    static let watchedAddresses = 256
    static let watchOnlyAddresses = 200
    static let addressBytes = 128
    static let aliases = 256
    static let aliasBytes = 64
    /// The longest scope in a query.
    ///
    /// The chain may hold longer ones.
    static let scopeBytes = 64
    static let groupIDs = 256
    static let groupIDBytes = 32
    /// The most groups in one call that reads for many groups.
    static let batchedQueries = 64
    /// Group ids, or senders, of one call that reads what is new of all of them.
    static let mergedLists = 256
    static let capabilities = 32
    static let capabilityBytes = 64
    static let broadcastChannels = 64
    /// In all channels together.
    static let hiddenBroadcastSenders = 500
}
