/// The parameters of one statement, in one buffer, as libpq takes them.
struct EncodedParameters {
    /// One type's object id a parameter; 0 for null.
    let types: [UInt32]
    private let bytes: [UInt8]
    /// Where each parameter begins; nil for null.
    private let offsets: [Int?]
    private let lengths: [Int32]

    /// Encodes the parameters.
    ///
    /// - Throws: `value` when there are too many, too large ones, or a UUID that is none.
    init(_ parameters: [Parameter]) throws(PostgresError) {
        guard parameters.count <= Parameter.maximumCount else {
            throw PostgresError(
                .value,
                "A statement has \(parameters.count) parameters; \(Parameter.maximumCount) is the most.")
        }
        var types: [UInt32] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        types.reserveCapacity(parameters.count)
        offsets.reserveCapacity(parameters.count)
        lengths.reserveCapacity(parameters.count)
        var total = 0
        for parameter in parameters {
            types.append(parameter.type)
            let size = try parameter.encodedSize()
            guard total + (size ?? 0) <= Parameter.maximumBytes else {
                throw PostgresError(
                    .value, "The parameters of a statement have more than \(Parameter.maximumBytes) bytes.")
            }
            offsets.append(size == nil ? nil : total)
            lengths.append(Int32(size ?? 0))
            total += size ?? 0
        }
        self.types = types
        self.offsets = offsets
        self.lengths = lengths
        // One byte more: an empty value must still have an address, or libpq takes it for null.
        bytes = [UInt8](unsafeUninitializedCapacity: total + 1) { buffer, count in
            var writer = ParameterWriter(UnsafeMutableRawBufferPointer(buffer))
            for parameter in parameters { writer.append(parameter) }
            precondition(writer.position == total, "a parameter's size and its encoding differ")
            buffer[total] = 0
            count = total + 1
        }
    }

    /// Calls `body` with the count, values, lengths and formats that libpq's functions take.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.assumingMemoryBound(to: CChar.self).baseAddress
            let values = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            let formats = [Int32](repeating: 1, count: offsets.count)
            return body(Int32(offsets.count), values, lengths, formats)
        }
    }
}

/// Writes parameters one after the other into memory that has room for them.
private struct ParameterWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var position = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    mutating func append(_ parameter: Parameter) {
        switch parameter {
        case .null: break
        case .bytes(let bytes), .uuid(let bytes): append(bytes)
        case .text(let text): append(text)
        case .int64(let value): append(value)
        case .int32(let value): append(value)
        case .int16(let value): append(value)
        case .bool(let value): append(value ? 1 as UInt8 : 0)
        case .bytesArray(let elements):
            append(elements, type: 17) { writer, element in
                writer.append(Int32(element.count))
                writer.append(element)
            }
        case .uuidArray(let elements):
            append(elements, type: 2950) { writer, element in
                writer.append(16 as Int32)
                writer.append(element)
            }
        case .textArray(let elements):
            append(elements, type: 25) { writer, element in
                writer.append(Int32(element.utf8.count))
                writer.append(element)
            }
        case .int64Array(let elements):
            append(elements, type: 20) { writer, element in
                writer.append(8 as Int32)
                writer.append(element)
            }
        case .int16Array(let elements):
            append(elements, type: 21) { writer, element in
                writer.append(2 as Int32)
                writer.append(element)
            }
        }
    }

    /// Writes an array.
    ///
    /// Dimensions, whether it has nulls, element type; then the dimension's length, its lowest index, and the elements
    /// with their lengths. An empty array has no dimension.
    private mutating func append<Element>(
        _ elements: [Element], type: Int32, _ appendElement: (inout ParameterWriter, Element) -> Void
    ) {
        append((elements.isEmpty ? 0 : 1) as Int32)
        append(0 as Int32)
        append(type)
        if elements.isEmpty { return }
        append(Int32(elements.count))
        append(1 as Int32)
        for element in elements { appendElement(&self, element) }
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        buffer.storeBytes(of: value.bigEndian, toByteOffset: position, as: type(of: value))
        position += value.bitWidth / 8
    }

    private mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { copy($0) }
    }

    private mutating func append(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ copy(UnsafeRawBufferPointer($0)) }) == nil {
            append(Array(text.utf8))
        }
    }

    private mutating func copy(_ source: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[position..<position + source.count]).copyMemory(from: source)
        position += source.count
    }
}
