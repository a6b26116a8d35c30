import Kaspa
import Testing

@testable import Store

@Suite("A transfer as one of its addresses sees it")
struct TransferSideTests {
    private static func address(_ number: Int) -> Address { Sample.address(number) }

    /// Outputs by address; nil is one without an address.
    private static func transfer(
        from spenders: [Int], to outputs: [(Int?, UInt64)], listed: [Int]
    ) -> TransferRecord? {
        var record = TransferRecord(
            transactionID: Sample.transaction(1), blockTime: 1, acceptance: nil,
            funds: Funds(credits: [], spenders: spenders.map(address)))
        for (number, amount) in outputs {
            if let number { record.funds.credits.append(.init(address: address(number), amount: amount)) }
            if let number, spenders.contains(number) { record.toSpenders += amount } else { record.toOthers += amount }
        }
        return record.narrowed(to: Set(listed.map(address)))
    }

    @Test("It comes in from the first spender, with what the address gets")
    func incoming() throws {
        let transfer = try #require(Self.transfer(from: [8, 9], to: [(3, 1), (1, 20), (9, 300)], listed: [1]))
        #expect(
            transfer.side(of: Self.address(1))
                == .init(direction: .incoming, counterparty: Self.address(8), amount: 20))
        #expect(transfer.side(of: Self.address(3)) == nil, "it is in nobody's list but the first's")
        #expect(transfer.side(of: Self.address(8)) == nil)
    }

    @Test("A coinbase comes from nobody")
    func coinbase() throws {
        let transfer = try #require(Self.transfer(from: [], to: [(1, 20)], listed: [1]))
        #expect(
            transfer.side(of: Self.address(1)) == .init(direction: .incoming, counterparty: nil, amount: 20))
    }

    @Test("It goes out to the first who does not spend, with all that such addresses get")
    func outgoing() throws {
        let transfer = try #require(
            Self.transfer(from: [1, 2], to: [(2, 1), (5, 20), (6, 300), (1, 4_000), (nil, 50_000)], listed: [1, 2]))
        for number in [1, 2] {
            #expect(
                transfer.side(of: Self.address(number))
                    == .init(direction: .outgoing, counterparty: Self.address(5), amount: 50_320))
        }
        let burnt = try #require(Self.transfer(from: [1], to: [(1, 5), (nil, 7)], listed: [1]))
        #expect(burnt.side(of: Self.address(1)) == .init(direction: .outgoing, counterparty: nil, amount: 7))
    }

    @Test("It goes to itself when all of it goes back to who spends")
    func toItself() throws {
        let transfer = try #require(Self.transfer(from: [1, 2], to: [(2, 700)], listed: [1]))
        #expect(transfer.side(of: Self.address(1)) == .init(direction: .toSelf, counterparty: nil, amount: 700))
    }

    @Test("Of the others sixteen on each side are kept, and of the listed all", arguments: [15, 16, 17])
    func narrowed(_ count: Int) throws {
        let spenders = Array(100..<100 + count)
        let receivers = Array(200..<200 + count)
        // The change of all spenders stands before what is of interest.
        let outputs = (spenders + receivers + [1]).map { ($0 as Int?, UInt64(1)) }
        let transfer = try #require(Self.transfer(from: spenders + [2], to: outputs, listed: [1, 2, 3]))
        #expect(transfer.listed == [Self.address(1), Self.address(2)])
        let kept = min(count, 16)
        #expect(transfer.funds.credits.map(\.address) == (receivers.prefix(kept) + [1]).map(Self.address))
        #expect(transfer.funds.spenders == (spenders.prefix(kept) + [2]).map(Self.address))
        #expect(transfer.side(of: Self.address(2))?.counterparty == Self.address(200))
        #expect(transfer.side(of: Self.address(2))?.amount == UInt64(count + 1))
        #expect(Self.transfer(from: spenders, to: outputs, listed: [3]) == nil)
    }
}
