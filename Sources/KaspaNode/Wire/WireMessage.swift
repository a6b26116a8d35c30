/// What a scan needs to know of the messages within blocks and transactions: which fields are strings, and which are
/// messages again (`proto/kaspad.proto`).
///
/// All other fields are numbers, or unknown: they are passed over as their wire type says.
enum WireMessage {
    // As blockAdded carries them.
    case header, parents, blockVerboseData
    case transaction, input, inputVerboseData, utxoEntry, output, transactionVerboseData
    // As GetVirtualChainFromBlockV2 carries them.
    case optionalHeader, parentsRun
    case optionalTransaction, optionalInput, optionalInputVerboseData, optionalUtxoEntry, optionalOutput
    case optionalTransactionVerboseData, nullableCovenant
    // Both.
    case outpoint, optionalOutpoint, script, scriptVerboseData, optionalScriptVerboseData, covenant

    /// The numbers of the fields that are strings, as bits; none is above 31.
    var strings: UInt32 {
        switch self {
        case .header: Self.bits(3, 4, 5, 10, 14, 15)
        case .parents: Self.bits(1)
        case .blockVerboseData: Self.bits(1, 13, 14, 17, 18, 19)
        case .transaction: Self.bits(5, 8)
        case .input: Self.bits(2)
        case .inputVerboseData: 0
        case .utxoEntry: Self.bits(6)
        case .output: 0
        case .transactionVerboseData: Self.bits(1, 2, 12)
        case .optionalHeader: Self.bits(2, 5, 6, 7, 12, 14)
        case .parentsRun: Self.bits(1)
        case .optionalTransaction: Self.bits(6, 8)
        case .optionalInput: Self.bits(3)
        case .optionalInputVerboseData: 0
        case .optionalUtxoEntry: Self.bits(7)
        case .optionalOutput: 0
        case .optionalTransactionVerboseData: Self.bits(2, 3, 5)
        case .nullableCovenant: 0
        case .outpoint: Self.bits(1)
        case .optionalOutpoint: Self.bits(2)
        case .script: Self.bits(2)
        case .scriptVerboseData: Self.bits(5, 6)
        case .optionalScriptVerboseData: Self.bits(2, 3)
        case .covenant: Self.bits(2)
        }
    }

    /// The message in a field; nil if the field is none.
    func message(in field: UInt32) -> WireMessage? {
        switch (self, field) {
        case (.header, 12): .parents
        case (.transaction, 2): .input
        case (.transaction, 3): .output
        case (.transaction, 9): .transactionVerboseData
        case (.input, 1): .outpoint
        case (.input, 4): .inputVerboseData
        case (.inputVerboseData, 1): .utxoEntry
        case (.utxoEntry, 2): .script
        case (.utxoEntry, 5): .scriptVerboseData
        case (.output, 2): .script
        case (.output, 3): .scriptVerboseData
        case (.output, 4): .covenant
        case (.optionalHeader, 4): .parentsRun
        case (.optionalTransaction, 3): .optionalInput
        case (.optionalTransaction, 4): .optionalOutput
        case (.optionalTransaction, 10): .optionalTransactionVerboseData
        case (.optionalInput, 2): .optionalOutpoint
        case (.optionalInput, 6): .optionalInputVerboseData
        case (.optionalInputVerboseData, 2): .optionalUtxoEntry
        case (.optionalUtxoEntry, 3): .script
        case (.optionalUtxoEntry, 6): .optionalScriptVerboseData
        case (.optionalOutput, 3): .script
        case (.optionalOutput, 4): .optionalScriptVerboseData
        case (.optionalOutput, 5): .nullableCovenant
        case (.nullableCovenant, 1): .covenant
        default: nil
        }
    }

    private static func bits(_ fields: UInt32...) -> UInt32 {
        fields.reduce(0) { $0 | 1 << $1 }
    }
}
