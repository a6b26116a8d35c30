import Kaspa

/// Rows of the history.
extension IndexRepair {
    func restoreIndexes(
        ofOperation key: [UInt8], _ value: [UInt8], _ writer: inout RepairWriter
    ) throws(StoreError) {
        guard let id = Hash(bytes: key) else { return writer.delete(.operations, key) }
        // One that cannot be read stays as it is, and holds up no other.
        guard let operation = try? OperationRecord(transactionID: id, encoded: value, network: network) else { return }
        for list in operation.presentLists { try writer.add(.operationLists, list.prefix + operation.position.bytes) }
        try restoreAcceptance(operation.acceptance, of: id, &writer)
    }

    func restoreIndexes(
        ofTransfer key: [UInt8], _ value: [UInt8], _ writer: inout RepairWriter
    ) throws(StoreError) {
        guard let id = Hash(bytes: key) else { return writer.delete(.transfers, key) }
        let transfer = try TransferRecord(transactionID: id, encoded: value, network: network)
        // What an older version kept goes with its marker.
        if transfer.listed.isEmpty, try !writer.has(.enqueued, key) { return writer.delete(.transfers, key) }
        for key in transfer.listKeys { try writer.add(.operationLists, key) }
        try restoreAcceptance(transfer.acceptance, of: id, &writer)
    }

    /// What a removed chain block takes back.
    private func restoreAcceptance(
        _ acceptance: OperationRecord.Acceptance?, of id: TransactionID, _ writer: inout RepairWriter
    ) throws(StoreError) {
        let score = try writer.transaction.chainBlueScore()
        // Deeper ones are not taken back any more, and were forgotten.
        guard let acceptance, score - min(score, acceptance.blueScore) <= History.reorganizationDepth else { return }
        try writer.add(.accepted, acceptance.blockHash.bytes + id.bytes)
    }

    /// Whether a transaction is an operation or a transfer.
    func isKnown(_ id: [UInt8], _ writer: RepairWriter) throws(StoreError) -> Bool {
        if try writer.has(.operations, id) { return true }
        return try writer.has(.transfers, id)
    }

    /// Whether what a list names stands in it.
    func belongs(toList key: [UInt8], _ writer: RepairWriter) throws(StoreError) -> Bool {
        guard let position = OperationPosition(bytes: key.dropFirst(OperationList.prefixBytes)) else { return false }
        let id = position.transactionID
        if key.first == OperationList.transfersTag {
            return try writer.transaction.transfer(id, network: network)?.listKeys.contains(key) == true
        }
        guard try writer.has(.operations, id.bytes) else { return false }
        // Where one that cannot be read belongs, nobody knows.
        guard let operation = try? writer.transaction.operation(id, network: network) else { return true }
        return operation.position == position && operation.lists.contains { key.starts(with: $0.prefix) }
    }

    func restoreIndexes(
        ofQuestion key: [UInt8], _ value: [UInt8], _ writer: inout RepairWriter
    ) throws(StoreError) {
        guard let question = try? UnresolvedSender(key, value, network: network) else { return }
        for key in question.timeKeys { try writer.add(.unresolvedTimes, key) }
        let id = question.transactionID
        if try writer.has(.operations, id.bytes) {
            try writer.add(.accepted, question.acceptance.blockHash.bytes + id.bytes)
        }
    }

    func lookAtUnresolvedTime(_ key: [UInt8], _ writer: inout RepairWriter) throws(StoreError) {
        let id = Hash(bytes: Array(key.dropFirst(9)))
        let question = try id.map { (id) throws(StoreError) in
            try writer.transaction.unresolvedSender(of: id, network: network)
        }
        if question??.timeKeys.contains(key) != true { writer.delete(.unresolvedTimes, key) }
    }
}
