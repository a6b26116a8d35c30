/// What is wrong with a service account's file: the operator's mistake.
public struct ServiceAccountError: Error, Equatable, CustomStringConvertible {
    /// The member at fault; nil: the file as a whole.
    public var member: String?
    /// One sentence without a full stop; it never contains the key.
    public var description: String
}
