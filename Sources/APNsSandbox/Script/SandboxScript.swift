import FoundationEssentials

/// Changes to the sandbox's behaviour, as a script file or a control request holds them.
public struct SandboxScript: Sendable, Equatable {
    /// Restarts the random numbers with this seed.
    public var seed: UInt64?
    /// Whether earlier rules are dropped first.
    public var clearsRules = false
    /// Rules to add, after the ones there are.
    public var rules: [SandboxRule] = []
    /// Device tokens that are good at one host only from now on, or again at both.
    public var tokens: [SandboxToken] = []
    /// The HTTP/2 stream limit from now on, on connections that are open as well.
    public var maximumStreams: Int?
    /// A GOAWAY on every open connection, now.
    public var goAway: SandboxGoAway?
    /// Whether every open connection is cut, now.
    public var closesConnections = false
    /// New connections are turned away.
    public var refusal: SandboxRefusal?

    /// A script that adds `rules`.
    public init(rules: [SandboxRule] = []) {
        self.rules = rules
    }

    /// Reads the JSON form, which `deploy/docs/apns-sandbox.md` describes.
    ///
    /// - Throws: ``SandboxError`` with a sentence that names the place and what is allowed there.
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
