/// A transaction that was queued for push and that a reorganisation took out.
public struct RevertedRecord: Equatable, Sendable {
    /// When it was taken out, milliseconds since 1970.
    public var revertedAt: UInt64
    /// The acceptance that it lost.
    public var acceptance: OperationRecord.Acceptance
    /// Whether the correction is queued: there is one, whatever the chain does afterwards.
    public var isRetracted: Bool

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(revertedAt)
        writer.write(acceptance)
        writer.write(isRetracted ? UInt8(1) : 0)
        return writer.bytes
    }

    init(revertedAt: UInt64, acceptance: OperationRecord.Acceptance) {
        self.revertedAt = revertedAt
        self.acceptance = acceptance
        isRetracted = false
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        revertedAt = try reader.readUInt64()
        acceptance = try reader.readAcceptance()
        isRetracted = try reader.readBool("reverted")
        try reader.finish()
    }
}
