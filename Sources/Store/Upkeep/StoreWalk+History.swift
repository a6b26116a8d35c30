import Kaspa

/// Rows of the history.
extension StoreWalk {
    mutating func lookAtOperation(_ row: Row) throws(StoreError) {
        guard let id = Hash(bytes: Array(row.key)) else { throw ByteReader.corrupt("operations") }
        let operation = try OperationRecord(transactionID: id, encoded: Array(row.value), network: network)
        for list in operation.presentLists {
            check.require(
                try has(.operationLists, list.prefix + operation.position.bytes),
                "operation \(id) is missing in a list")
        }
        guard let acceptance = operation.acceptance, acceptance.blueScore >= reach else { return }
        check.require(
            try has(.accepted, acceptance.blockHash.bytes + id.bytes), "operation \(id) has lost its acceptance")
    }

    mutating func lookAtListEntry(_ row: Row) throws(StoreError) {
        guard let position = OperationPosition(bytes: row.key.dropFirst(OperationList.prefixBytes)) else {
            throw ByteReader.corrupt("operation_lists")
        }
        let id = position.transactionID
        if row.key.first == OperationList.transfersTag {
            let transfer = try reading.transfer(id, network: network)
            let isRight = transfer?.listKeys.contains { $0.elementsEqual(row.key) }
            return check.require(isRight == true, "a list names transfer \(id), which does not belong there")
        }
        let operation = try reading.operation(id, network: network)
        let isRight = operation.map { operation in
            operation.position == position
                && operation.lists.contains { row.key.starts(with: $0.prefix) }
        }
        check.require(isRight == true, "a list names operation \(id), which does not belong there")
    }

    mutating func lookAtAcceptance(_ row: Row) throws(StoreError) {
        let id = Array(row.key.dropFirst(Hash.byteCount))
        let isTransfer = try has(.transfers, id)
        check.require(try has(.operations, id) || isTransfer, "an acceptance without an operation or a transfer")
    }

    mutating func lookAtTransfer(_ row: Row) throws(StoreError) {
        guard let id = Hash(bytes: row.key) else { throw ByteReader.corrupt("transfers") }
        let transfer = try TransferRecord(transactionID: id, encoded: Array(row.value), network: network)
        // Rows of an older version stand in no list, and go with their markers.
        if transfer.listed.isEmpty {
            check.require(try has(.enqueued, id.bytes), "transfer \(id) was never queued")
        }
        for key in transfer.listKeys {
            check.require(try has(.operationLists, key), "transfer \(id) is missing in a list")
        }
        guard let acceptance = transfer.acceptance, acceptance.blueScore >= reach else { return }
        check.require(
            try has(.accepted, acceptance.blockHash.bytes + id.bytes), "transfer \(id) has lost its acceptance")
    }

    mutating func lookAtUnresolved(_ row: Row) throws(StoreError) {
        let question = try UnresolvedSender(Array(row.key), Array(row.value), network: network)
        let id = question.transactionID
        if question.notifies { waitingForSenders += 1 }
        for key in question.timeKeys {
            check.require(try has(.unresolvedTimes, key), "the question about \(id) has lost its time")
        }
        check.require(
            try has(.accepted, question.acceptance.blockHash.bytes + id.bytes), "a question about what is not accepted")
        check.require(try reading.operation(id, network: network)?.sender == nil, "a question that is answered")
    }

    mutating func lookAtUnresolvedTime(_ row: Row) throws(StoreError) {
        check.require(
            try has(.unresolved, Array(row.key.suffix(Hash.byteCount))), "a sender's time without its question")
    }

    mutating func lookAtUnconfirmed(_ row: Row) throws(StoreError) {
        let item = try UnconfirmedItem(row)
        check.require(
            try has(item.isTransfer ? .transfers : .operations, item.id.bytes),
            "an unconfirmed transaction that is not there")
    }
}
