public import Kaspa

/// Who sends a transaction, who receives, and how much.
public struct Parties: Hashable, Sendable {
    /// The owner of the coin that the first input spends; nil if the node did not say, or for a script that has no
    /// address.
    ///
    /// Only this is proof: the payload can claim anything, and anyone can send coins to anyone.
    public var sender: Address?

    /// The first output's address that is not the sender's; the sender, if the outputs with an address all go there;
    /// nil if no output has an address.
    ///
    /// For an unknown sender, the first output with an address.
    public var receiver: Address?

    /// The sum of the outputs that go to the receiver; the greatest amount if it would not fit in 64 bits.
    public var amount: Sompi

    /// An output that has an address, and what it pays there.
    public typealias Payment = (address: Address, amount: Sompi)

    /// Names the parties.
    public init(sender: Address?, receiver: Address?, amount: Sompi) {
        self.sender = sender
        self.receiver = receiver
        self.amount = amount
    }

    /// Finds receiver and amount once it is known who sends; `payments` are in the order of the outputs.
    public init(sender: Address?, payments: [Payment]) {
        let receiver = payments.first { $0.address != sender }?.address ?? payments.first?.address
        let amount = payments.reduce(Sompi.zero) { $1.address == receiver ? $0 + $1.amount : $0 }
        self.init(sender: sender, receiver: receiver, amount: amount)
    }

    /// The parties of a transaction on a network.
    ///
    /// The spent coin is looked up nowhere: it is known if the first input carries it.
    public static func parties(of transaction: Transaction, on network: Network) -> Parties {
        Parties(
            sender: transaction.inputs.first?.spent?.script.address(on: network),
            payments: payments(of: transaction, on: network))
    }

    /// The outputs of a transaction that have an address on a network.
    public static func payments(of transaction: Transaction, on network: Network) -> [Payment] {
        transaction.outputs.compactMap { output in
            output.script.address(on: network).map { (address: $0, amount: output.amount) }
        }
    }
}
