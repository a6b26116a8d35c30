/// A header field; its name is lower-case, as HTTP/2 wants it.
package struct HeaderField: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The most that its encoding has, but for the first few bytes of a block.
    var bytes: Int { name.utf8.count + value.utf8.count + 8 }
}

/// One request.
package struct HTTPRequest: Sendable {
    /// What is asked of the server.
    package enum Method: Sendable {
        /// The body is sent, even if it is empty.
        case post
        /// No body is sent, whatever it is.
        case get
    }

    /// `:method`.
    package var method = Method.post
    /// `:path`, which begins with a slash.
    package var path: String
    /// The fields of this request alone; they follow the shared ones.
    ///
    /// `content-length` is not among them.
    package var fields: [HeaderField]
    package var body: [UInt8]

    /// The most bytes that a request's header block may have: it travels in one frame.
    static let maximumHeaderBytes = 16_000

    /// A POST.
    package init(path: String, fields: [HeaderField], body: [UInt8]) {
        self.path = path
        self.fields = fields
        self.body = body
    }

    /// A GET.
    package init(getting path: String, fields: [HeaderField] = []) {
        self.init(path: path, fields: fields, body: [])
        method = .get
    }

    /// The most bytes that its header block has, with `:method`, `:scheme`, `content-length` and limits of the table.
    func headerBytes(with shared: SharedFields, authority: String) -> Int {
        64 + authority.utf8.count + path.utf8.count + fields.reduce(shared.bytes) { $0 + $1.bytes }
    }
}

/// The header fields that many requests share, such as everything under one provider token.
///
/// A connection encodes them once, and after that in a few bytes: compare by identity, make few.
package final class SharedFields: Sendable {
    let fields: [HeaderField]
    let bytes: Int
    /// The place of their credentials in the order of those used: 1, 2, 3 and so on.
    package let generation: Int

    package init(_ fields: [HeaderField], generation: Int) {
        self.fields = fields
        bytes = fields.reduce(0) { $0 + $1.bytes }
        self.generation = generation
    }
}

/// What came back for one request.
package struct HTTPAnswer: Sendable, Equatable {
    package var status: Int
    /// At most ``maximumBodyBytes``.
    package var body: [UInt8]
    /// The fields that the connection's settings name; each value is printable ASCII of at most 64 bytes.
    package var fields: [HeaderField]

    /// The most bytes of a body that are read; a longer answer is ended there.
    package static let maximumBodyBytes = 16_384
    /// The longest value of a field that is kept.
    static let maximumValueBytes = 64

    package init(status: Int, body: [UInt8] = [], fields: [HeaderField] = []) {
        self.status = status
        self.body = body
        self.fields = fields
    }

    /// The value of the field with this lower-case name.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
