#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Comparisons on raw keys.
package enum KeyBytes {
    /// The smallest key greater than every key that starts with `prefix`; 0xff repeated if there is none.
    package static func successor(ofPrefix prefix: [UInt8]) -> [UInt8] {
        var bytes = prefix
        while let last = bytes.last {
            if last < 0xff {
                bytes[bytes.count - 1] = last + 1
                return bytes
            }
            bytes.removeLast()
        }
        return [UInt8](repeating: 0xff, count: 128)
    }

    /// Whether `key` sorts before `other`, as RocksDB's bytewise comparator orders.
    package static func precedes(_ key: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        let difference = compare(key, other, min(key.count, other.count))
        return difference != 0 ? difference < 0 : key.count < other.count
    }

    /// The same where the other one is an array.
    package static func precedes(_ key: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
        other.withUnsafeBytes { precedes(key, $0) }
    }

    /// The same of two arrays.
    package static func precedes(_ key: [UInt8], _ other: [UInt8]) -> Bool {
        key.withUnsafeBytes { precedes($0, other) }
    }

    /// Whether both are the same.
    package static func areEqual(_ key: [UInt8], _ other: [UInt8]) -> Bool {
        key.count == other.count
            && key.withUnsafeBytes { key in other.withUnsafeBytes { compare(key, $0, key.count) == 0 } }
    }

    /// What `memcmp` says of the first `count` bytes; both must have so many.
    private static func compare(
        _ key: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, _ count: Int
    ) -> CInt {
        count == 0 ? 0 : memcmp(key.baseAddress!, other.baseAddress!, count)
    }
}
