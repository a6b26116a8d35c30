/// A block of addresses in CIDR notation.
///
/// A single address is a block of one.
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    /// The first address of the block; bits after the prefix are zero.
    package let address: IPAddress
    /// How many leading bits all addresses of the block share: 0 to 32, or 0 to 128.
    package let prefixLength: Int

    /// Parses `10.0.0.0/8`, `fd00::/8` or a plain address; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        var length = address.bitCount
        if parts.count == 2 {
            // An IPv4-mapped address is refused: its prefix length would be ambiguous.
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(parts[1]), bits <= length,
                address.bytes.count == 16 || !first.contains(":")
            else { return nil }
            length = bits
        }
        self.address = IPAddress(masking: address, toBits: length)
        self.prefixLength = length
    }

    /// Whether the block contains the address.
    ///
    /// An address of the other family is never contained.
    package func contains(_ other: IPAddress) -> Bool {
        other.bytes.count == address.bytes.count && IPAddress(masking: other, toBits: prefixLength) == address
    }

    /// CIDR notation.
    ///
    /// A single address has no prefix length.
    package var description: String {
        prefixLength == address.bitCount ? address.description : "\(address)/\(prefixLength)"
    }
}
