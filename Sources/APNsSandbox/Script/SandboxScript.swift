import FoundationEssentials

/// Changes to the sandbox's behaviour, from a script file or a control request.
public struct SandboxScript: Sendable, Equatable {
    /// Restarts the random numbers with this seed.
    public var seed: UInt64?
    /// Whether existing rules are removed first.
    public var clearsRules = false
    /// Rules to add after the existing ones.
    public var rules: [SandboxRule] = []
    /// Device tokens that only one host accepts from now on, or both again.
    public var tokens: [SandboxToken] = []
    /// The new HTTP/2 stream limit of all connections, open ones included.
    public var maximumStreams: Int?
    /// A GOAWAY to send on every open connection now.
    public var goAway: SandboxGoAway?
    /// Whether every open connection is cut now.
    public var closesConnections = false
    /// A refusal of new connections.
    public var refusal: SandboxRefusal?

    /// A script that adds `rules`.
    public init(rules: [SandboxRule] = []) {
        self.rules = rules
    }

    /// Reads the JSON form, which `deploy/docs/apns-sandbox.md` describes.
    ///
    /// - Throws: ``SandboxError`` whose sentence names the place of the mistake and what is allowed there.
    public init(json: [UInt8]) throws(SandboxError) {
        if let (line, column) = JSONScanner.faultPosition(in: json) {
            throw SandboxError(.invalidScript, "The script is not valid JSON from line \(line), column \(column).")
        }
        do {
            self = try JSONDecoder().decode(SandboxScript.self, from: Data(json))
        } catch let error as DecodingError {
            throw SandboxError(.invalidScript, error.sentence)
        } catch {
            throw SandboxError(.invalidScript, "The script cannot be read: \(error).")
        }
    }
}

/// A refusal of new connections for a while.
public struct SandboxRefusal: Sendable, Equatable {
    /// How a connection is refused.
    public enum Manner: String, Sendable, CaseIterable {
        /// It is accepted and closed at once, before TLS.
        case close
        /// A fatal TLS alert (handshake_failure) answers the ClientHello.
        case alert
        /// It is accepted, and the TLS handshake never ends.
        case silence
    }

    /// How long the refusal lasts; zero ends an earlier one.
    public var duration: Duration
    /// How connections are refused.
    public var manner: Manner

    /// Refuses connections for `duration`.
    public init(for duration: Duration, by manner: Manner = .close) {
        self.duration = duration
        self.manner = manner
    }
}
