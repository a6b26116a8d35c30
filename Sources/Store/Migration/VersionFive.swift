import KasiaProtocol
import Kaspa

extension WriteTransaction {
    /// Version 5 keeps with an operation what its payload says: nobody reads the payload again, whatever a later grammar
    /// makes of it.
    func bringOperationToVersionFive(_ key: [UInt8], _ value: [UInt8], network: Network) throws(StoreError) {
        guard let id = Hash(bytes: key) else { throw ByteReader.corrupt("operations") }
        let operation = try OperationRecord(transactionID: id, ofAnyVersion: value, network: network)
        let row = operation.encoded
        // A row of this version's, seen again.
        guard row != value else { return }
        put(.operations, key, row)
        // One that today's grammar does not read stood in no list of the version before.
        guard operation.parsed.body.isEmpty else { return }
        for list in operation.presentLists { put(.operationLists, list.prefix + operation.position.bytes, []) }
    }

    /// Version 5 keeps with an event what of its operation's payload says who is told.
    func bringEventToVersionFive(_ key: [UInt8], _ value: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(key)
        let number = try reader.readUInt64()
        var event = try PushEvent(number: number, ofAnyVersion: value, network: network)
        guard event.encoded != value else { return }
        // An operation that is gone, or cannot be read, says nothing.
        if let stored = try get(.operations, event.transactionID.bytes),
            let operation = try? OperationRecord(
                transactionID: event.transactionID, ofAnyVersion: stored, network: network)
        {
            event.subject = PushSubject(operation)
        }
        put(.events, key, event.encoded)
    }
}

extension OperationRecord {
    /// Reads a row of this version or an older one, which does not say what its payload says.
    init(transactionID: TransactionID, ofAnyVersion encoded: [UInt8], network: Network) throws(StoreError) {
        try self.init(transactionID: transactionID, encoded: encoded, network: network) {
            (reader, kind, payload) throws(StoreError) in
            guard reader.isAtEnd else { return try reader.readParsedPayload(kind, of: payload.count) }
            guard case .operation(let parsed) = PayloadGrammar.classify(payload), parsed.kind == kind else {
                return ParsedPayload(kind, body: payload.count..<payload.count)
            }
            return parsed
        }
    }
}

extension PushEvent {
    /// Reads a row of this version or an older one, which does not say who is told.
    init(number: UInt64, ofAnyVersion encoded: [UInt8], network: Network) throws(StoreError) {
        try self.init(number: number, encoded: encoded, network: network) { (reader, kind) throws(StoreError) in
            reader.isAtEnd ? PushSubject() : try reader.readSubject(of: kind)
        }
    }
}
