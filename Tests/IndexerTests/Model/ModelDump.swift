import Kaspa

@testable import Store

/// The rows of a store that speak of the chain, in the model's words.
struct ModelDump {
    var cursor: BlockHash?
    var operations: [TransactionID: OperationRecord] = [:]
    var transfers: [TransactionID: TransferRecord] = [:]
    var accepted: Set<[BlockHash]> = []
    var owners: [[UInt8]: [UInt8]] = [:]
    var markers: [TransactionID: ChainModel.Marker] = [:]
    var questions: [TransactionID: ChainModel.Question] = [:]
    var events: [TransactionID: PushEvent] = [:]

    init(_ store: Store) async throws {
        let network = store.network
        cursor = try await store.history.cursor()?.blockHash
        for (key, value) in try rows(.operations, store) {
            guard let id = Hash(bytes: key) else { continue }
            operations[id] = try OperationRecord(transactionID: id, encoded: value, network: network)
        }
        for (key, value) in try rows(.transfers, store) {
            guard let id = Hash(bytes: key) else { continue }
            transfers[id] = try TransferRecord(transactionID: id, encoded: value, network: network)
        }
        for (key, _) in try rows(.accepted, store) {
            accepted.insert([Hash(bytes: key.prefix(32)) ?? .zero, Hash(bytes: key.suffix(32)) ?? .zero])
        }
        owners = Dictionary(uniqueKeysWithValues: try rows(.groupBindings, store))
        for (key, value) in try rows(.enqueued, store) {
            var reader = ByteReader(value)
            markers[Hash(bytes: key) ?? .zero] = ChainModel.Marker(
                time: try reader.readUInt64(), isForNobody: try reader.readUInt64() == 0)
        }
        for (key, value) in try rows(.unresolved, store) {
            guard let id = Hash(bytes: key) else { continue }
            let row = try UnresolvedSender(transactionID: id, encoded: value, network: network)
            questions[id] = ChainModel.Question(
                block: row.acceptance.blockHash, notifies: row.notifies, attempts: row.attempts,
                refusals: row.refusals, due: row.due, deadline: row.deadline)
        }
        for event in try await store.outbox.events(after: 0, limit: .max) { events[event.transactionID] = event }
    }

    private func rows(_ family: ColumnFamily, _ store: Store) throws -> [([UInt8], [UInt8])] {
        var rows: [([UInt8], [UInt8])] = []
        try store.database.scan(family, prefix: []) { row in
            rows.append((Array(row.key), Array(row.value)))
            return true
        }
        return rows
    }
}
