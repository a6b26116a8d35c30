/// A 32-byte hash, stored inline.
///
/// Hashes compare by their bytes from the first to the last, which is the order of their hexadecimal spelling and of
/// the consensus rule that breaks ties between equal blue works.
public struct Hash: Hashable, Comparable, Sendable {
    /// The length of every hash.
    public static let byteCount = 32

    /// The hash whose bytes are all zero.
    public static let zero = Hash(0, 0, 0, 0)

    // Four big-endian words, so that comparing numbers compares bytes in order.
    @usableFromInline let word0: UInt64
    @usableFromInline let word1: UInt64
    @usableFromInline let word2: UInt64
    @usableFromInline let word3: UInt64

    @usableFromInline
    init(_ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    /// Takes exactly 32 bytes; nil for any other count.
    @inlinable
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withContiguousBytes { Self(contiguous: $0) }
    }

    /// Reads exactly 64 hexadecimal digits of either case, given as UTF-8; nil for anything else.
    @inlinable
    public init?(hexUTF8 text: some Collection<UInt8>) {
        guard text.count == Self.byteCount * 2, let bytes = Hex.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Reads 32 bytes whose count the caller has checked.
    @usableFromInline
    init(contiguous bytes: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        self.init(word(0), word(8), word(16), word(24))
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        append(to: &bytes)
        return bytes
    }

    /// Adds the 32 bytes to the end of a buffer.
    public func append(to buffer: inout [UInt8]) {
        let words = (word0.bigEndian, word1.bigEndian, word2.bigEndian, word3.bigEndian)
        withUnsafeBytes(of: words) { buffer.append(contentsOf: $0) }
    }

    /// Writes the 32 bytes into a buffer of so many.
    func copy(to buffer: UnsafeMutableRawBufferPointer) {
        let words = (word0.bigEndian, word1.bigEndian, word2.bigEndian, word3.bigEndian)
        withUnsafeBytes(of: words) { buffer.copyMemory(from: $0) }
    }

    /// Whether the bytes of `left` sort before those of `right`, from the first to the last.
    public static func < (left: Hash, right: Hash) -> Bool {
        (left.word0, left.word1, left.word2, left.word3) < (right.word0, right.word1, right.word2, right.word3)
    }
}

extension Hash: LosslessStringConvertible {
    /// Reads exactly 64 hexadecimal digits of either case; nil for anything else.
    public init?(_ hex: String) {
        self.init(hexUTF8: hex.utf8)
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String {
        Hex.encode(bytes)
    }
}

/// The hash of a block's header.
public typealias BlockHash = Hash

/// The identity of a transaction: the hash of what it does, without its signatures.
public typealias TransactionID = Hash

extension Collection<UInt8> {
    /// Lends the bytes as they lie together, copied if they do not.
    @inlinable
    func withContiguousBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(self).withUnsafeBytes(body)
    }
}
