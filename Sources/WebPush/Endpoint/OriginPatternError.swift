/// A pattern that the operator has written wrongly.
public struct OriginPatternError: Error, Equatable, CustomStringConvertible {
    /// The operator's sentence, without a full stop.
    public var description: String
}
