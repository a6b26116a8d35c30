public import Foundation

/// Header fields of an answer, found whatever the case of their names.
public struct TransportHeaders: Hashable, Sendable {
    private var fields: [String: String] = [:]

    /// Takes fields by name.
    public init(_ fields: [String: String] = [:]) {
        for (name, value) in fields { self.fields[name.lowercased()] = value }
    }

    /// The value of a field, without white space around it.
    public subscript(name: String) -> String? {
        fields[name.lowercased()]?.trimmingCharacters(in: .whitespaces)
    }
}

/// An answer with its whole body.
public struct TransportAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The header fields.
    public var headers: TransportHeaders
    /// The body, with content encodings undone.
    public var body: Data

    /// Makes an answer.
    public init(status: Int, headers: TransportHeaders = TransportHeaders(), body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// An answer whose body comes in pieces.
public struct TransportStream: Sendable {
    /// Waits for the body's next piece, which is not empty; nil at the end.
    ///
    /// It has one caller at a time. The request ends when this is released.
    public typealias NextPiece = @Sendable () async throws(TransportError) -> Data?

    /// The HTTP status.
    public let status: Int
    /// The header fields.
    public let headers: TransportHeaders
    /// Waits for the body's next piece.
    public let nextPiece: NextPiece

    /// Makes an answer.
    public init(status: Int, headers: TransportHeaders = TransportHeaders(), nextPiece: @escaping NextPiece) {
        self.status = status
        self.headers = headers
        self.nextPiece = nextPiece
    }
}
