extension [UInt8] {
    /// Appends a number as protobuf writes it: seven bits a byte, the lowest first.
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest > 0x7f {
            append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
