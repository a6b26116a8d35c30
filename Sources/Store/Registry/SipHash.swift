/// SipHash-1-3: a keyed 64-bit hash, so that who does not know the key cannot choose inputs that collide.
///
/// Swift's `Hasher` is the same function under a key that no other process has; this one's key can be kept.
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), with one round for each word and three at
/// the end.
struct SipHash: Equatable, Sendable {
    let key: (UInt64, UInt64)

    /// A key of this process's own.
    init() { self.init(key: (.random(in: .min ... .max), .random(in: .min ... .max))) }

    init(key: (UInt64, UInt64)) { self.key = key }

    static func == (left: SipHash, right: SipHash) -> Bool { left.key == right.key }

    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(
            v0: key.0 ^ 0x736f_6d65_7073_6575, v1: key.1 ^ 0x646f_7261_6e64_6f6d,
            v2: key.0 ^ 0x6c79_6765_6e65_7261, v3: key.1 ^ 0x7465_6462_7974_6573)
        let whole = bytes.count & ~7
        for offset in stride(from: 0, to: whole, by: 8) {
            state.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        // The rest, and in the last byte how many there were.
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for (index, byte) in bytes[whole...].enumerated() { last |= UInt64(byte) << (8 * UInt64(index)) }
        state.absorb(last)
        state.v2 ^= 0xff
        for _ in 0..<3 { state.round() }
        return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            v0 ^= word
        }

        mutating func round() {
            v0 &+= v1
            v1 = v1 << 13 | v1 >> 51
            v1 ^= v0
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = v3 << 16 | v3 >> 48
            v3 ^= v2
            v0 &+= v3
            v3 = v3 << 21 | v3 >> 43
            v3 ^= v0
            v2 &+= v1
            v1 = v1 << 17 | v1 >> 47
            v1 ^= v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
