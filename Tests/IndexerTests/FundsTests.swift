import Kaspa
import Store
import StoreSupport
import Testing

@testable import Indexer

@Suite("Plain transfers to watched addresses")
struct FundsTests {
    private func register(_ indexer: TestIndexer, _ people: [Person]) async throws {
        let device = DeviceRecord(
            token: [UInt8](repeating: 1, count: 32), platform: .ios, createdAt: epoch, lastSeen: epoch,
            watchedAddresses: [], watchOnlyAddresses: people.map(\.address))
        try await indexer.store.registry.upsertDevice(device.id) { _ in device }
    }

    private func funds(_ indexer: TestIndexer, _ number: Int) async throws -> Funds? {
        let events = try await indexer.store.outbox.events(after: 0, limit: 99)
        return events.first { $0.transactionID == hash(number, tag: 0x77) }?.funds
    }

    @Test("A transfer without a payload is an event with each watched address's sum, and only theirs")
    func plain() async throws {
        let chain =
            emptyChain(0..<1) + [
                chainBlock(
                    1,
                    [
                        transaction(
                            1, "", from: .carol, to: [(.carol, 1), (.bob, 20), (.alice, 300), (.bob, 4_000)],
                            time: epoch),
                        transaction(2, "", from: .carol, to: [(.carol, 900)]), transaction(3, "other", from: .carol),
                    ])
            ]
        let indexer = try await TestIndexer(chain)
        try await register(indexer, [.alice, .bob])
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [1])
        let event = try #require(try await indexer.store.outbox.events(after: 0, limit: 1).first)
        #expect(event.kind == .addressActivity && event.blockTime == epoch)
        #expect(event.acceptance.blockHash == hash(1))
        #expect(
            event.funds
                == Funds(
                    credits: [
                        .init(address: Person.bob.address, amount: 4_020),
                        .init(address: Person.alice.address, amount: 300),
                    ], spenders: [Person.carol.address]))
        #expect(try await indexer.operation(1) == nil)
        #expect(try indexer.store.checkBooks().problems == [])
    }

    @Test("Nobody watches: nothing is stored")
    func unwatched() async throws {
        let chain = emptyChain(0..<1) + [chainBlock(1, [transaction(1, "", from: .carol, to: [(.bob, 20)])])]
        let indexer = try await TestIndexer(chain)
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [])
        #expect(try await indexer.store.history.transfer(hash(1, tag: 0x77)) == nil)
    }

    @Test("A coinbase counts, whatever its payload; so does a payload of ours that is no operation")
    func whatIsPlain() async throws {
        let to = [(Person.bob, UInt64(20))]
        let chain =
            emptyChain(0..<1) + [
                chainBlock(
                    1,
                    [
                        transaction(1, "ciph_msg:1:comm:a:b", from: nil, to: to, isCoinbase: true),
                        transaction(2, "ciph_msg:1:payment:x", from: .carol, to: to),
                        transaction(3, "ciph_msg:1:nonsense", from: .carol, to: to),
                        transaction(4, "ciph_msg:1:bcast:c:x", from: .carol, to: to),
                        transaction(5, "ciph_msg:1:gcomm:malformed", from: .carol, to: to),
                        transaction(6, "", from: nil, to: to),
                    ])
            ]
        let indexer = try await TestIndexer(chain)
        try await register(indexer, [.bob])
        await indexer.processor.catchUp()
        let kinds = try await indexer.store.outbox.events(after: 0, limit: 99).map {
            ($0.transactionID.bytes[31], $0.kind)
        }
        let expected: [UInt8: PushKind] = [
            1: .addressActivity, 2: .payment, 3: .addressActivity, 5: .addressActivity, 6: .addressActivity,
        ]
        #expect(Dictionary(kinds) { first, _ in first } == expected)
        #expect(kinds.count == expected.count)
        #expect(try await funds(indexer, 1)?.spenders == [])
        #expect(
            try await funds(indexer, 6)?.spenders == [], "an input whose coin the node does not name is a stranger's")
    }

    @Test("What is older than push.max_age is counted and not told", arguments: [-1, 0, 1])
    func age(_ milliseconds: Int) async throws {
        let chain = emptyChain(0..<1) + [chainBlock(1, [transaction(1, "", from: .carol, to: [(.bob, 20)])])]
        let indexer = try await TestIndexer(chain)
        try await register(indexer, [.bob])
        indexer.clock.now = UInt64(Int(epoch + TestIndexer.maximumAge) + milliseconds)
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == (milliseconds > 0 ? [] : [1]))
        #expect(try await indexer.store.history.transfer(hash(1, tag: 0x77)) != nil, "it is indexed all the same")
    }

    @Test("Without credentials for APNs nothing is queued, and what is watched is indexed")
    func off() async throws {
        let chain = emptyChain(0..<1) + [chainBlock(1, [transaction(1, "", from: .carol, to: [(.bob, 20)])])]
        let indexer = try await TestIndexer(chain, enqueuesEvents: false)
        try await register(indexer, [.bob])
        await indexer.processor.catchUp()
        #expect(try await indexer.store.totals().events == 0)
        #expect(try await indexer.store.history.transfer(hash(1, tag: 0x77)) != nil)
    }

    @Test("A reorganisation moves it, and a second reading of everything changes nothing")
    func reorganisation() async throws {
        let transfer = transaction(1, "", from: .carol, to: [(.bob, 20)])
        let indexer = try await TestIndexer(
            emptyChain(0..<2) + [chainBlock(2, [transfer]), chainBlock(3, [message(2)])])
        try await register(indexer, [.bob])
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == [1, 2])
        indexer.node.reorganize(removing: 2, adding: [chainBlock(2, branch: 1, [message(2)])])
        await indexer.processor.catchUp()
        #expect(try await indexer.store.history.transfer(transfer.id)?.acceptance == nil)
        #expect(try await indexer.store.outbox.reverted(transfer.id) != nil)
        indexer.node.change { $0.chain.append(chainBlock(3, branch: 1, [transfer])) }
        await indexer.processor.catchUp()
        #expect(try await indexer.store.history.transfer(transfer.id)?.acceptance?.blockHash == hash(3, tag: 1))
        #expect(try await indexer.store.outbox.reverted(transfer.id) == nil)
        #expect(try await indexer.events() == [1, 2])
        #expect(try indexer.store.checkBooks().problems == [])
    }

    @Test("So many credited addresses are kept, and no more", arguments: [-1, 0, 1])
    func manyAddresses(_ difference: Int) {
        struct Everything: ScriptFilter {
            let isEmpty = false
            func mayContain(_ script: UnsafeRawBufferPointer) -> Bool { true }
        }
        let count = Funds.maximumAddresses + difference
        let addresses = (0..<count).compactMap { number in
            Address(
                prefix: .kaspa, version: .schnorr,
                payload: [UInt8(number >> 8), UInt8(number & 0xff)] + [UInt8](repeating: 3, count: 30))
        }
        let scripts = addresses.map { Script(paying: $0) }
        let transaction = Transaction(
            id: hash(1),
            inputs: scripts.map {
                TransactionInput(
                    outpoint: Outpoint(transactionID: hash(2), index: 0),
                    spent: SpentOutput(amount: Sompi(1), script: $0))
            },
            outputs: scripts.map { TransactionOutput(amount: Sompi(1), script: $0) })
        let funds = TransferReader(network: .mainnet, scripts: Everything()).read(
            transaction, in: header(1), acceptance: .init(blockHash: .zero, daaScore: 0, blueScore: 0))?.funds
        #expect(funds?.credits.map(\.address) == Array(addresses.prefix(Funds.maximumAddresses)))
        #expect(funds?.spenders == Array(addresses.prefix(Funds.maximumAddresses)))
    }
}
