import Crypto

/// Names of notifications: the `apns-id` under which a delivery is sent, the same at every attempt.
public enum NotificationID {
    /// The namespace of object identifiers (RFC 4122, appendix C), `6ba7b812-9dad-11d1-80b4-00c04fd430c8`.
    private static let namespace: [UInt8] = [
        0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
    ]

    /// The `apns-id` of one transaction for one device: a version 5 UUID, canonical and lower case.
    ///
    /// It names `kasia-push:NETWORK:TXID:TOKEN`, so that a repeated send bears the same name.
    /// A correction is another notification and has `:reverted` at its name's end.
    public static func make(
        network: String, transactionID: String, deviceToken: String, isCorrection: Bool = false
    ) -> String {
        var name = namespace
        name.reserveCapacity(256)
        for part in ["kasia-push:", network, ":", transactionID, ":", deviceToken, isCorrection ? ":reverted" : ""] {
            name.append(contentsOf: part.utf8)
        }
        return Insecure.SHA1.hash(data: name).withUnsafeBytes { text($0) }
    }

    /// A UUID of a hash's first 16 bytes.
    private static func text(_ hash: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var length = 0
            func write(_ byte: UInt8) {
                text[length] = byte
                length += 1
            }
            func write(digit: UInt8) { write(digit < 10 ? 0x30 + digit : 0x57 + digit) }
            for index in 0..<16 {
                var byte = hash[index]
                if index == 6 { byte = byte & 0x0f | 0x50 }  // version 5: name-based, SHA-1
                if index == 8 { byte = byte & 0x3f | 0x80 }  // variant: RFC 4122
                if (4...10).contains(index), index.isMultiple(of: 2) { write(UInt8(ascii: "-")) }
                write(digit: byte >> 4)
                write(digit: byte & 0x0f)
            }
            return length
        }
    }
}
