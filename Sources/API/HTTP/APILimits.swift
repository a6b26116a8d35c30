/// The limits of http-api.md, and of what a request may look like.
enum APILimits {
    static let bodyBytes = 64 * 1024
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
    static let capabilities = 32
    static let capabilityBytes = 64
}
