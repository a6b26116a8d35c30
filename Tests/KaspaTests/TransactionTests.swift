import Kaspa
import Testing

@Suite("Transactions")
struct TransactionTests {
    @Test("a transaction that spends nothing is a coinbase")
    func coinbase() {
        let outpoint = Outpoint(transactionID: .zero, index: 3)
        #expect(Transaction(id: .zero).isCoinbase)
        #expect(!Transaction(id: .zero, inputs: [TransactionInput(outpoint: outpoint)]).isCoinbase)
        #expect(outpoint.description == "\(String(repeating: "0", count: 64)):3")
    }

    @Test(
        "the fee is what the coins spent are worth beyond those made, if all are named",
        arguments: [
            ([10], [7, 2], 1), ([10, 5], [15], 0), ([10, 5], [], 15), ([10], [11], nil), ([nil], [1], nil),
            ([10, nil], [1], nil), ([nil, 10], [1], nil), ([], [5], nil), ([], [], nil),
            ([.max], [.max], 0), ([.max], [.max - 1, 1], 0), ([.max, 1], [5], nil), ([.max], [.max, 1], nil),
        ] as [([UInt64?], [UInt64], UInt64?)])
    func fee(spent: [UInt64?], made: [UInt64], fee: UInt64?) {
        let script = Script(version: 0, bytes: [])
        let transaction = Transaction(
            id: .zero,
            inputs: spent.map { amount in
                TransactionInput(
                    outpoint: Outpoint(transactionID: .zero, index: 0),
                    spent: amount.map { SpentOutput(amount: Sompi($0), script: script) })
            }, outputs: made.map { TransactionOutput(amount: Sompi($0), script: script) })
        #expect(transaction.fee?.amount == fee)
    }
}
