public import Foundation
public import KasiaPushCore

/// An HTTP request, with the limits of its answer.
public struct TransportRequest: Hashable, Sendable {
    /// The method in upper case.
    public var method: String
    /// The whole address.
    public var url: URL
    /// Header fields by name.
    public var headers: [String: String]
    /// The body, if there is one.
    public var body: Data?
    /// How long the answer may take as a whole; of a stream, its head.
    public var timeout: Duration
    /// How long a stream may be silent between two pieces.
    public var silence: Duration
    /// The longest body in bytes; of a stream, the most bytes that wait to be read.
    public var maximumBytes: Int

    /// Makes a request.
    public init(
        method: String, url: URL, headers: [String: String] = [:], body: Data? = nil, timeout: Duration,
        silence: Duration = .seconds(40), maximumBytes: Int
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.silence = silence
        self.maximumBytes = maximumBytes
    }
}

extension TransportRequest: Redacted {
    /// The method and the path: queries and bodies hold tokens and addresses.
    public var description: String { "\(method) \(url.path)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}
