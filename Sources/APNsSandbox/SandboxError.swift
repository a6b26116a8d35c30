/// A failure of the sandbox, with one readable sentence for the operator.
public struct SandboxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// A key in the configuration is not a P-256 key in PEM: the configuration's fault.
        case invalidKey
        /// A script or a control request is malformed: the sender's fault.
        case invalidScript
        /// The address is in use, or not one of this machine: the environment's fault.
        case cannotListen
        /// What a test waited for did not happen in time.
        case timeout
        /// The sandbox was stopped and cannot be started again.
        case stopped
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence that says what happened.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message only; the code is for programs.
    public var description: String { message }
}
