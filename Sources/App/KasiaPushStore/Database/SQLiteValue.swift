/// A value bound to a statement's parameter; nil binds null.
enum SQLiteValue: Sendable {
    case integer(Int64?)
    case text(String?)
}
