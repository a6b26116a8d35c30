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

extension ByteWriter {
    mutating func write(_ acceptance: OperationRecord.Acceptance) {
        write(acceptance.blockHash)
        write(acceptance.daaScore)
        write(acceptance.blueScore)
    }

    /// `time` is the accepting block's, milliseconds since 1970.
    mutating func write(_ acceptance: OperationRecord.Acceptance?, at time: UInt64?, isReverted: Bool) {
        guard let acceptance else {
            return write((isReverted ? AcceptanceTag.reverted : .absent).rawValue)
        }
        write((time == nil ? AcceptanceTag.untimed : .timed).rawValue)
        write(acceptance)
        if let time { write(time) }
    }
}

extension ByteReader {
    mutating func readAcceptance() throws(StoreError) -> OperationRecord.Acceptance {
        OperationRecord.Acceptance(
            blockHash: try readHash(), daaScore: try readUInt64(), blueScore: try readUInt64())
    }

    mutating func readAcceptanceState() throws(StoreError) -> (
        acceptance: OperationRecord.Acceptance?, time: UInt64?, isReverted: Bool
    ) {
        switch AcceptanceTag(rawValue: try readUInt8()) {
        case nil: throw ByteReader.corrupt("acceptance")
        case .absent: return (nil, nil, false)
        case .untimed: return (try readAcceptance(), nil, false)
        case .reverted: return (nil, nil, true)
        case .timed: return (try readAcceptance(), try readUInt64(), false)
        }
    }
}
