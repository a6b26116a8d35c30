import KasiaProtocol
import Kaspa
import SampleOperations
import Store
import Testing

/// A small chain that a test grows and shortens: what the store is told of it.
struct ActivityChain {
    let store: Store
    let alice: Address
    let bob: Address
    private var height = 0

    init(_ store: Store) throws {
        self.store = store
        let texts = try addresses(2)
        alice = try Address(parsing: texts[0])
        bob = try Address(parsing: texts[1])
    }

    static func id(_ number: Int) -> TransactionID {
        Hash(bytes: [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 0xab, count: 30)) ?? .zero
    }

    private static func block(_ height: Int) -> BlockHash {
        Hash(bytes: [UInt8(height & 255), UInt8(height >> 8)] + [UInt8](repeating: 0xcd, count: 30)) ?? .zero
    }

    /// A payment of Alice's to Bob, or the other way.
    func payment(
        _ number: Int, back: Bool = false, acceptedAt height: Int? = nil, body: String = "x"
    ) -> OperationRecord {
        OperationRecord(
            transactionID: Self.id(number), kind: .payment, sender: height == nil ? nil : back ? bob : alice,
            receiver: back ? alice : bob, amount: UInt64(number), blockHash: .zero,
            blockTime: 1_704_067_200_000 + UInt64(number / 3),
            acceptance: height.map { .init(blockHash: Self.block($0), daaScore: UInt64($0), blueScore: UInt64($0)) },
            acceptedAt: height.map { 1_704_067_300_000 + UInt64($0) },
            fee: height.map { 2_000 + UInt64($0) }, payload: Array("ciph_msg:1:payment:\(body)".utf8))
    }

    func see(_ numbers: Int...) async throws { try await store.history.recordPending(numbers.map { payment($0) }) }

    /// A block more that accepts payments, or so many blocks.
    mutating func accept(_ numbers: [Int], growing growth: Int = 1) async throws {
        height += 1
        let accepted = numbers.map { AcceptedOperation(operation: payment($0, acceptedAt: height), notifies: false) }
        height += growth - 1
        try await apply(ChainStep(removed: [], accepted: accepted, cursor: cursor))
    }

    /// Takes the last blocks out; the height stays, as another branch has the same.
    mutating func remove(_ count: Int) async throws {
        let removed = (0..<min(count, height)).map { Self.block(height - $0) }
        height += 1
        try await apply(ChainStep(removed: removed, accepted: [], cursor: cursor))
    }

    private var cursor: ChainCursor {
        ChainCursor(
            blockHash: Self.block(height), daaScore: UInt64(height), blueScore: UInt64(height),
            timestamp: UInt64(height))
    }

    private func apply(_ step: ChainStep) async throws {
        _ = try await store.history.apply(step, now: 1, withdrawsUnsent: false)
    }
}
