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
}
