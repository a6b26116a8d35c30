/// A JSON document as it is: requests are checked member by member, so that an error can name what is wrong.
enum JSONValue: Equatable {
    case null
    case boolean(Bool)
    /// A whole number below 2^64: exact when it is written as digits alone, since signatures cover it.
    case integer(UInt64)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}
