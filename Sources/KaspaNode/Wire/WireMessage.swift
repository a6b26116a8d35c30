/// The messages within blocks and transactions: which of their fields are strings, and which are messages
/// (`proto/kaspad.proto`).
///
/// All other fields are numbers or unknown, and are skipped by their wire type.
enum WireMessage {
    // In `BlockAddedNotificationMessage`.
    case header, parents, blockVerboseData
    case transaction, input, inputVerboseData, utxoEntry, output, transactionVerboseData
    // In the answer of GetVirtualChainFromBlockV2.
    case optionalHeader, parentsRun
    case optionalTransaction, optionalInput, optionalInputVerboseData, optionalUtxoEntry, optionalOutput
    case optionalTransactionVerboseData, nullableCovenant
    // In both.
    case outpoint, optionalOutpoint, script, scriptVerboseData, optionalScriptVerboseData, covenant

    /// The numbers of the string fields, as bits.
    ///
    /// None is above 31. They are written out so that the compiler makes a table of constants.
    var strings: UInt32 {
        switch self {
        case .header: 1 << 3 | 1 << 4 | 1 << 5 | 1 << 10 | 1 << 14 | 1 << 15
        case .parents: 1 << 1
        case .blockVerboseData: 1 << 1 | 1 << 13 | 1 << 14 | 1 << 17 | 1 << 18 | 1 << 19
        case .transaction: 1 << 5 | 1 << 8
        case .input: 1 << 2
        case .inputVerboseData: 0
        case .utxoEntry: 1 << 6
        case .output: 0
        case .transactionVerboseData: 1 << 1 | 1 << 2 | 1 << 12
        case .optionalHeader: 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 14
        case .parentsRun: 1 << 1
        case .optionalTransaction: 1 << 6 | 1 << 8
        case .optionalInput: 1 << 3
        case .optionalInputVerboseData: 0
        case .optionalUtxoEntry: 1 << 7
        case .optionalOutput: 0
        case .optionalTransactionVerboseData: 1 << 2 | 1 << 3 | 1 << 5
        case .nullableCovenant: 0
        case .outpoint: 1 << 1
        case .optionalOutpoint: 1 << 2
        case .script: 1 << 2
        case .scriptVerboseData: 1 << 5 | 1 << 6
        case .optionalScriptVerboseData: 1 << 2 | 1 << 3
        case .covenant: 1 << 2
        }
    }

    /// The type of the message in a field; nil if the field holds none.
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
}
