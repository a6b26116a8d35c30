public import Foundation

/// Calls the service: a function for each path of its `/openapi.json`.
///
/// Each call sends one request and repeats nothing. Its errors are `IndexerError`s. What a call's parameters may be
/// (lengths, counts, forms of addresses) is checked by the service, which refuses with a sentence that names what is
/// wrong.
public struct IndexerClient: Sendable {
    /// How long calls may take, and how long their answers may be.
    public struct Limits: Hashable, Sendable {
        /// The longest that a call may take, its whole answer included.
        public var timeout = Duration.seconds(30)
        /// The longest that a stream may take to begin.
        public var streamOpening = Duration.seconds(15)
        /// The longest silence of a stream: the service sends something at least every 15 seconds.
        public var streamSilence = Duration.seconds(40)
        /// The longest answer in bytes.
        ///
        /// The service's longest lists have 4 MiB of payloads, which are twice that in hex.
        public var answerBytes = 16 << 20
        /// The longest event of a stream in bytes, and half of what of a stream may wait to be read.
        public var eventBytes = 1 << 20

        /// The defaults.
        public init() {}
    }

    /// The service's address without a slash at its end.
    let root: String
    let transport: any Transport
    let limits: Limits

    /// Makes a client of the service at an address; what a proxy puts before the service's paths may be part of it.
    ///
    /// Returns nil unless the address is one of http or https with a host, and without a user, query and fragment.
    public init?(
        baseURL: URL, transport: any Transport = URLSessionTransport(), limits: Limits = Limits()
    ) {
        guard let parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true), let root = parts.string,
            ["http", "https"].contains(parts.scheme?.lowercased()), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else { return nil }
        self.root = root.hasSuffix("/") ? String(root.dropLast()) : root
        self.transport = transport
        self.limits = limits
    }
}
