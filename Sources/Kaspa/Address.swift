/// Where coins can be sent: a public key or a script's hash, and the kind of network it is meant for.
///
/// Stored inline in 35 bytes, so that sets of millions of addresses cost no allocation each.
public struct Address: Sendable {
    /// What the payload of an address is.
    public enum Version: UInt8, CaseIterable, Sendable {
        /// An x-only Schnorr public key, 32 bytes.
        case schnorr = 0
        /// A compressed ECDSA public key, 33 bytes.
        case ecdsa = 1
        /// The hash of a script, 32 bytes.
        case scriptHash = 8

        /// The length of the payload.
        public var payloadByteCount: Int {
            self == .ecdsa ? 33 : 32
        }
    }

    // The payload's last 32 bytes, and the parity byte that an ECDSA key has before them (0 for the others). They come
    // first, so that nothing is padded.
    private let tail: Hash
    private let parity: UInt8

    /// The kind of network.
    public let prefix: AddressPrefix

    /// What the payload is.
    public let version: Version

    /// Takes a payload of the version's length; nil for any other length.
    ///
    /// Whether a key is a point of the curve is not checked, as the network does not check it either.
    @inlinable
    public init?(prefix: AddressPrefix, version: Version, payload: some Collection<UInt8>) {
        let address = payload.withContiguousBytes { Self(prefix: prefix, version: version, contiguous: $0) }
        guard let address else { return nil }
        self = address
    }

    @usableFromInline
    init?(prefix: AddressPrefix, version: Version, contiguous payload: UnsafeRawBufferPointer) {
        guard payload.count == version.payloadByteCount else { return nil }
        self.prefix = prefix
        self.version = version
        tail = Hash(contiguous: UnsafeRawBufferPointer(rebasing: payload.suffix(Hash.byteCount)))
        parity = version == .ecdsa ? payload[0] : 0
    }

    /// The key or hash: 33 bytes for ECDSA, else 32.
    public var payload: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(version.payloadByteCount)
        appendPayload(to: &bytes)
        return bytes
    }

    /// The version byte and the payload: 33 or 34 bytes.
    ///
    /// No key is the beginning of another, since the first byte decides the length. The network is not in it.
    public var storageKey: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(storageKeyByteCount)
        appendStorageKey(to: &bytes)
        return bytes
    }

    /// How long the `storageKey` is.
    package var storageKeyByteCount: Int { 1 + version.payloadByteCount }

    /// Adds the `storageKey` to the end of a buffer.
    package func appendStorageKey(to buffer: inout [UInt8]) {
        buffer.append(version.rawValue)
        appendPayload(to: &buffer)
    }

    /// Writes the `storageKey` into a buffer of `storageKeyByteCount` bytes or more; the rest stays as it is.
    package func copyStorageKey(to buffer: UnsafeMutableRawBufferPointer) {
        buffer[0] = version.rawValue
        if version == .ecdsa { buffer[1] = parity }
        tail.copy(to: UnsafeMutableRawBufferPointer(rebasing: buffer[(storageKeyByteCount - Hash.byteCount)...]))
    }

    /// Reads back a `storageKey`; nil for an unknown version or a length that is not the version's.
    @inlinable
    public init?(storageKey: some Collection<UInt8>, network: Network) {
        let address = storageKey.withContiguousBytes { Self(contiguous: $0, network: network) }
        guard let address else { return nil }
        self = address
    }

    /// The same of bytes that lie together.
    @usableFromInline
    package init?(contiguous storageKey: UnsafeRawBufferPointer, network: Network) {
        guard let first = storageKey.first, let version = Version(rawValue: first) else { return nil }
        self.init(
            prefix: network.addressPrefix, version: version,
            contiguous: UnsafeRawBufferPointer(rebasing: storageKey.dropFirst()))
    }

    /// The 32-byte x coordinate of the address's public key; nil for a script's hash.
    public var xOnlyPublicKey: [UInt8]? {
        version == .scriptHash ? nil : tail.bytes
    }

    private func appendPayload(to bytes: inout [UInt8]) {
        if version == .ecdsa { bytes.append(parity) }
        tail.append(to: &bytes)
    }

    // Everything but the tail as one number. The derived equality and hash would go through the prefix's text.
    private var kind: UInt32 {
        UInt32(prefix.number) << 16 | UInt32(version.rawValue) << 8 | UInt32(parity)
    }
}

extension Address: Hashable {
    /// Whether network prefix, version and payload are the same.
    public static func == (left: Address, right: Address) -> Bool {
        left.tail == right.tail && left.kind == right.kind
    }

    /// Takes in what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tail)
        hasher.combine(kind)
    }
}
