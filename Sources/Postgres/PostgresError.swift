/// Why a connection could not be made, a statement was refused, or a value could not be read.
package struct PostgresError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Whose fault it is.
    package enum Kind: Equatable, Sendable {
        /// There is no connection, or it was lost: what was under way may or may not have been done.
        case connection
        /// No answer came within the deadline and the connection was dropped, with the same doubt as `connection`.
        case deadline
        /// The server refused, with this SQLSTATE of five characters. Nothing of the refused transaction was done.
        case server(sqlState: String)
        /// A parameter that cannot be sent, or an answer that is not of the type asked for: the caller's fault.
        case value
    }

    package let kind: Kind
    /// One sentence: what happened, in the server's or the library's own words.
    ///
    /// It has no newline and no password.
    package let message: String

    /// Makes an error; newlines in `message` become spaces.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message =
            message.contains(where: \.isNewline)
            ? message.split(whereSeparator: \.isNewline).joined(separator: " ") : message
    }

    /// Whether the same may succeed when it is tried again, from a new connection where this one is lost.
    package var isRetryable: Bool {
        guard case .server(let state) = kind else { return kind != .value }
        return losesConnection || ["40001", "40P01", "55P03", "53300"].contains(state)
    }

    /// Whether the connection is of no more use.
    ///
    /// That includes SQLSTATE 25006: a server that takes no writes is not the one to be connected to.
    package var losesConnection: Bool {
        switch kind {
        case .connection, .deadline: true
        case .value: false
        case .server(let state):
            state.hasPrefix("08") || ["57P01", "57P02", "57P03", "25006"].contains(state)
        }
    }

    package var description: String {
        if case .server(let state) = kind { "\(message) (SQLSTATE \(state))" } else { message }
    }
}
