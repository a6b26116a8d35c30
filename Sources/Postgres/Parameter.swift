/// The value of one parameter, sent in PostgreSQL's binary format.
///
/// The cases name the type that the server is told: `bytea`, `text`, `bigint`, `integer`, `smallint`, `boolean`,
/// `uuid` and arrays of these. Arrays have one dimension and no nulls; an empty one stays an empty array.
package enum Parameter: Sendable {
    /// Null. Where the first run of a statement has it, the server chooses the parameter's type.
    case null
    case bytes([UInt8])
    case text(String)
    case int64(Int64)
    case int32(Int32)
    case int16(Int16)
    case bool(Bool)
    /// Exactly 16 bytes.
    case uuid([UInt8])
    case bytesArray([[UInt8]])
    case textArray([String])
    case int64Array([Int64])
    case int16Array([Int16])
    /// Elements of exactly 16 bytes.
    case uuidArray([[UInt8]])

    /// The most bytes that the parameters of one statement may have when encoded.
    ///
    /// The server takes messages of up to 1 GiB; libpq keeps a buffer as large as the largest ever sent.
    package static let maximumBytes = 64 << 20
    /// The most parameters of one statement: the protocol counts them in 16 bits.
    package static let maximumCount = 65_535
}

extension Parameter {
    /// The object id of the type in every server's `pg_type`; 0: the server chooses.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .bytes: 17
        case .text: 25
        case .int64: 20
        case .int32: 23
        case .int16: 21
        case .bool: 16
        case .uuid: 2950
        case .bytesArray: 1001
        case .textArray: 1009
        case .int64Array: 1016
        case .int16Array: 1005
        case .uuidArray: 2951
        }
    }

    /// The encoded size in bytes; nil for null.
    ///
    /// - Throws: `value` for a UUID that is not 16 bytes long.
    func encodedSize() throws(PostgresError) -> Int? {
        switch self {
        case .null: return nil
        case .bytes(let bytes): return bytes.count
        case .text(let text): return text.utf8.count
        case .int64: return 8
        case .int32: return 4
        case .int16: return 2
        case .bool: return 1
        case .uuid(let bytes):
            try Self.checkUUID(bytes)
            return 16
        case .bytesArray(let elements): return arraySize(elements.count, elements.reduce(0) { $0 + $1.count })
        case .textArray(let elements): return arraySize(elements.count, elements.reduce(0) { $0 + $1.utf8.count })
        case .int64Array(let elements): return arraySize(elements.count, elements.count * 8)
        case .int16Array(let elements): return arraySize(elements.count, elements.count * 2)
        case .uuidArray(let elements):
            for element in elements { try Self.checkUUID(element) }
            return arraySize(elements.count, elements.count * 16)
        }
    }

    /// Dimensions, flag and element type are 12 bytes; the one dimension 8; each element's length 4.
    private func arraySize(_ count: Int, _ bytes: Int) -> Int {
        count == 0 ? 12 : 20 + 4 * count + bytes
    }

    private static func checkUUID(_ bytes: [UInt8]) throws(PostgresError) {
        guard bytes.count == 16 else {
            throw PostgresError(.value, "A UUID parameter has \(bytes.count) bytes instead of 16.")
        }
    }
}
