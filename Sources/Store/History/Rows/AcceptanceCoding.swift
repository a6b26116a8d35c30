/// The first byte of where a transaction stands in the virtual chain.
private enum AcceptanceTag: UInt8 {
    /// Not accepted, as far as is known.
    case absent = 0
    /// The acceptance, without its time: rows of schema version 1.
    case untimed = 1
    /// Accepted once, and taken out.
    case reverted = 2
    /// The acceptance and its time.
    case timed = 3
}

/// Set in that byte where the transaction's fee follows; rows up to schema version 6 have none.
private let feeFlag: UInt8 = 0x80

extension ByteWriter {
    mutating func write(_ acceptance: OperationRecord.Acceptance) {
        write(acceptance.blockHash)
        write(acceptance.daaScore)
        write(acceptance.blueScore)
    }

    /// `time` is the accepting block's, milliseconds since 1970; `fee` is the transaction's, in sompi.
    mutating func write(
        _ acceptance: OperationRecord.Acceptance?, at time: UInt64?, isReverted: Bool, fee: UInt64?
    ) {
        let tag: AcceptanceTag =
            acceptance == nil ? isReverted ? .reverted : .absent : time == nil ? .untimed : .timed
        write(tag.rawValue | (fee == nil ? 0 : feeFlag))
        if let acceptance {
            write(acceptance)
            if let time { write(time) }
        }
        if let fee { write(fee) }
    }
}

extension ByteReader {
    mutating func readAcceptance() throws(StoreError) -> OperationRecord.Acceptance {
        OperationRecord.Acceptance(
            blockHash: try readHash(), daaScore: try readUInt64(), blueScore: try readUInt64())
    }

    mutating func readAcceptanceState() throws(StoreError) -> (
        acceptance: OperationRecord.Acceptance?, time: UInt64?, isReverted: Bool, fee: UInt64?
    ) {
        let byte = try readUInt8()
        guard let tag = AcceptanceTag(rawValue: byte & ~feeFlag) else { throw ByteReader.corrupt("acceptance") }
        let acceptance = tag == .untimed || tag == .timed ? try readAcceptance() : nil
        let time = tag == .timed ? try readUInt64() : nil
        let fee = byte & feeFlag != 0 ? try readUInt64() : nil
        return (acceptance, time, tag == .reverted, fee)
    }
}
