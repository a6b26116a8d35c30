/// A statement as one connection has prepared it.
struct PreparedStatement {
    let statement: Statement
    /// One type's object id a parameter; 0: the server chose.
    let types: [UInt32]

    /// Checks that the same name means the same statement, with parameters of the same types.
    ///
    /// - Throws: `value` when not: it would run another text, or read a parameter's bytes as another type.
    func check(_ other: Statement, _ otherTypes: [UInt32]) throws(PostgresError) {
        guard other.text == statement.text else {
            throw PostgresError(.value, "Two statements have the name \(other.name).")
        }
        let isSame =
            types.count == otherTypes.count && zip(types, otherTypes).allSatisfy { $0 == $1 || $0 == 0 || $1 == 0 }
        guard isSame else {
            throw PostgresError(.value, "The statement \(other.name) was prepared with parameters of other types.")
        }
    }
}
