/// A value that holds a secret: printing, debugging and reflecting it show `…` and nothing else.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// Always `…`.
    public var description: String { "…" }
    /// Always `…`.
    public var debugDescription: String { "…" }
    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
