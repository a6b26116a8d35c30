/// Scripts that somebody watches, as far as memory tells: asked for every output of every transaction.
public protocol ScriptFilter: Sendable {
    /// Whether anything is watched at all; if not, outputs need not be looked at.
    var isEmpty: Bool { get }

    /// Whether the script public key (its bytes, without the version) may be watched: never false for one that is, now
    /// and then true for one that is not.
    func mayContain(_ script: UnsafeRawBufferPointer) -> Bool
}
