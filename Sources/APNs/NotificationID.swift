import Crypto

/// Names of notifications: the `apns-id` under which a delivery is sent, the same at every attempt.
public enum NotificationID {
    /// The namespace of object identifiers (RFC 4122, appendix C), `6ba7b812-9dad-11d1-80b4-00c04fd430c8`.
    private static let namespace: [UInt8] = [
        0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
    ]
    private static let digits = Array("0123456789abcdef".utf8)

    /// The `apns-id` of one transaction for one device: a version 5 UUID, canonical and lower case.
    ///
    /// It names `kasia-push:NETWORK:TXID:TOKEN`, so that a repeated send bears the same name.
    /// A correction is another notification and has `:reverted` at its name's end.
    public static func make(
        network: String, transactionID: String, deviceToken: String, isCorrection: Bool = false
    ) -> String {
        var hash = Insecure.SHA1()
        hash.update(data: namespace)
        let name = "kasia-push:\(network):\(transactionID):\(deviceToken)" + (isCorrection ? ":reverted" : "")
        hash.update(data: Array(name.utf8))
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x50  // version 5: name-based, SHA-1
        bytes[8] = bytes[8] & 0x3f | 0x80  // variant: RFC 4122
        return text(bytes)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var length = 0
            for (index, byte) in bytes.enumerated() {
                if [4, 6, 8, 10].contains(index) {
                    buffer[length] = UInt8(ascii: "-")
                    length += 1
                }
                buffer[length] = digits[Int(byte >> 4)]
                buffer[length + 1] = digits[Int(byte & 0x0f)]
                length += 2
            }
            return length
        }
    }
}
