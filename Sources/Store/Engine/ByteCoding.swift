import Kaspa

/// Appends fixed-width big-endian integers and length-prefixed bytes: the rows' only encoding.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func write(_ value: UInt8) { bytes.append(value) }

    mutating func write<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ hash: Hash) { hash.append(to: &bytes) }

    mutating func write(_ device: DeviceID) { device.append(to: &bytes) }

    mutating func write(fixed value: [UInt8]) { bytes.append(contentsOf: value) }

    /// A 32-bit length, then the bytes.
    mutating func write(variable value: [UInt8]) {
        write(UInt32(value.count))
        bytes.append(contentsOf: value)
    }

    /// The storage key of an address like other bytes.
    mutating func write(variable address: Address) {
        write(UInt32(address.storageKeyByteCount))
        address.appendStorageKey(to: &bytes)
    }

    mutating func write(text: String) { write(variable: Array(text.utf8)) }

    /// A byte 0, or a byte 1 and the value.
    mutating func write<Value>(optional value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
        guard let value else { return write(UInt8(0)) }
        write(UInt8(1))
        body(&self, value)
    }

    mutating func write(_ address: Address?) {
        write(optional: address) { $0.write(variable: $1) }
    }

    mutating func write<Element>(list: [Element], _ body: (inout ByteWriter, Element) -> Void) {
        write(UInt32(list.count))
        for element in list { body(&self, element) }
    }
}

/// Reads what `ByteWriter` wrote; every read is bounds-checked and a surprise is `StoreError.corrupt`.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = [UInt8](bytes) }

    static func corrupt(_ what: String) -> StoreError {
        StoreError(.corrupt, "a stored row is damaged (\(what)): restore a backup, or start with an empty store")
    }

    mutating func read(count: Int) throws(StoreError) -> ArraySlice<UInt8> {
        let start = try advance(count)
        return bytes[start..<start + count]
    }

    mutating func skip(count: Int) throws(StoreError) { _ = try advance(count) }

    /// Goes on by `count` bytes; returns where they begin.
    private mutating func advance(_ count: Int) throws(StoreError) -> Int {
        guard count >= 0, count <= bytes.count - position else { throw ByteReader.corrupt("too short") }
        defer { position += count }
        return position
    }

    private mutating func readInteger<Value: FixedWidthInteger & BitwiseCopyable>(
        _: Value.Type
    ) throws(StoreError) -> Value {
        let start = try advance(MemoryLayout<Value>.size)
        return Value(bigEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: Value.self) })
    }

    mutating func readUInt8() throws(StoreError) -> UInt8 { bytes[try advance(1)] }

    /// One byte, 0 or 1.
    mutating func readBool(_ what: String) throws(StoreError) -> Bool {
        switch try readUInt8() {
        case 0: return false
        case 1: return true
        default: throw ByteReader.corrupt(what)
        }
    }

    mutating func readUInt32() throws(StoreError) -> UInt32 { try readInteger(UInt32.self) }

    mutating func readUInt64() throws(StoreError) -> UInt64 { try readInteger(UInt64.self) }

    mutating func readHash() throws(StoreError) -> Hash {
        guard let hash = Hash(bytes: try read(count: Hash.byteCount)) else { throw ByteReader.corrupt("hash") }
        return hash
    }

    mutating func readDeviceID() throws(StoreError) -> DeviceID {
        DeviceID(high: try readUInt64(), low: try readUInt64())
    }

    mutating func readVariable() throws(StoreError) -> [UInt8] {
        Array(try read(count: Int(try readUInt32())))
    }

    mutating func skipVariable() throws(StoreError) { try skip(count: Int(try readUInt32())) }

    /// Passes over what `write(optional:)` wrote of bytes with their length in front.
    mutating func skipOptional() throws(StoreError) {
        if try readBool("optional tag") { try skipVariable() }
    }

    mutating func readText() throws(StoreError) -> String {
        guard let text = String(validating: try readVariable(), as: UTF8.self) else { throw ByteReader.corrupt("text") }
        return text
    }

    mutating func readOptional<Value>(
        _ body: (inout ByteReader) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        guard try readBool("optional tag") else { return nil }
        return try body(&self)
    }

    mutating func readAddress(on network: Network) throws(StoreError) -> Address? {
        try readOptional { (reader) throws(StoreError) in try reader.readVariableAddress(on: network) }
    }

    /// What `write(variable:)` wrote of an address.
    mutating func readVariableAddress(on network: Network) throws(StoreError) -> Address {
        let count = Int(try readUInt32())
        let start = try advance(count)
        let address = bytes.withUnsafeBytes { bytes in
            Address(contiguous: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]), network: network)
        }
        guard let address else { throw ByteReader.corrupt("address") }
        return address
    }

    mutating func readList<Element>(
        _ body: (inout ByteReader) throws(StoreError) -> Element
    ) throws(StoreError) -> [Element] {
        let count = try readUInt32()
        var list: [Element] = []
        for _ in 0..<count { list.append(try body(&self)) }
        return list
    }

    var isAtEnd: Bool { position == bytes.count }

    func finish() throws(StoreError) {
        guard isAtEnd else { throw ByteReader.corrupt("too long") }
    }
}
