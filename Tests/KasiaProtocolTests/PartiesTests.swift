import KasiaProtocol
import Kaspa
import Testing

@Suite("Who is who")
struct PartiesTests {
    private static let foreign = Script(bytes: [0x51])

    private func address(_ byte: UInt8) throws -> Address {
        try #require(Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: byte, count: 32)))
    }

    private func parties(spends: [Script?], pays: [(Script, UInt64)], on network: Network = .mainnet) -> Parties {
        let inputs = spends.map { script in
            TransactionInput(
                outpoint: Outpoint(transactionID: .zero, index: 0),
                spent: script.map { SpentOutput(amount: Sompi(1), script: $0) })
        }
        let outputs = pays.map { TransactionOutput(amount: Sompi($0.1), script: $0.0) }
        return Parties.parties(of: Transaction(id: .zero, inputs: inputs, outputs: outputs), on: network)
    }

    @Test("a payment goes to the first output that is not change, and all its outputs count")
    func payment() throws {
        let (alice, bob, carol) = (try address(1), try address(2), try address(3))
        let found = parties(
            spends: [Script(paying: alice), Script(paying: carol)],
            pays: [
                (Script(paying: alice), 1), (Script(paying: bob), 20), (Script(paying: carol), 300),
                (Script(paying: bob), 4000),
            ])
        #expect(found == Parties(sender: alice, receiver: bob, amount: Sompi(4020)))
    }

    @Test("coins sent back to the sender make the sender the receiver")
    func selfSend() throws {
        let alice = try address(1)
        let script = Script(paying: alice)
        let found = parties(spends: [script], pays: [(script, 1), (Self.foreign, 20), (script, 300)])
        #expect(found == Parties(sender: alice, receiver: alice, amount: Sompi(301)))
    }

    @Test("an unknown sender leaves the first output with an address as the receiver")
    func unknownSender() throws {
        let bob = try address(2)
        for spends: [Script?] in [[], [nil], [nil, Script(paying: bob)], [Self.foreign]] {
            let found = parties(spends: spends, pays: [(Self.foreign, 1), (Script(paying: bob), 20)])
            #expect(found == Parties(sender: nil, receiver: bob, amount: Sompi(20)))
        }
    }

    @Test("without an output that has an address there is no receiver and no amount")
    func noReceiver() throws {
        let alice = try address(1)
        for pays in [[], [(Self.foreign, UInt64(5))]] {
            let found = parties(spends: [Script(paying: alice)], pays: pays)
            #expect(found == Parties(sender: alice, receiver: nil, amount: .zero))
        }
    }

    @Test("only the first input's coin names the sender, wherever the payload's author pays to")
    func claimedSender() throws {
        let (alice, mallory) = (try address(1), try address(6))
        let found = parties(
            spends: [Script(paying: mallory), Script(paying: alice)], pays: [(Script(paying: alice), 1)])
        #expect(found.sender == mallory)
        #expect(found.receiver == alice)
    }

    @Test("once the sender is known, what the outputs pay says who is the receiver")
    func laterSender() throws {
        let (alice, bob) = (try address(1), try address(2))
        let payments: [Parties.Payment] = [(alice, Sompi(1)), (bob, Sompi(20)), (bob, Sompi(300))]
        #expect(
            Parties(sender: alice, payments: payments) == Parties(sender: alice, receiver: bob, amount: Sompi(320)))
        #expect(Parties(sender: nil, payments: payments) == Parties(sender: nil, receiver: alice, amount: Sompi(1)))
        #expect(Parties(sender: bob, payments: []) == Parties(sender: bob, receiver: nil, amount: .zero))
    }

    @Test("amounts whose sum does not fit stop at the greatest")
    func overflow() throws {
        let bob = Script(paying: try address(2))
        #expect(parties(spends: [nil], pays: [(bob, .max), (bob, .max), (bob, 1)]).amount == Sompi(.max))
    }

    @Test("the addresses are the network's")
    func network() throws {
        let bob = Script(paying: try address(2))
        #expect(parties(spends: [bob], pays: [(bob, 1)], on: .testnet(10)).sender?.prefix == .kaspatest)
        #expect(parties(spends: [bob], pays: [(bob, 1)], on: .testnet(10)).receiver?.prefix == .kaspatest)
    }
}
