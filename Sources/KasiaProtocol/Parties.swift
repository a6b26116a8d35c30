public import Kaspa

/// Who sends a transaction and who gets how much (kasia-payloads.md, Who is who).
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

    /// Names the parties.
    public init(sender: Address?, receiver: Address?, amount: Sompi) {
        self.sender = sender
        self.receiver = receiver
        self.amount = amount
    }

    /// The parties of a transaction on a network.
    ///
    /// The spent coin is looked up nowhere: it is known if the first input carries it.
    public static func parties(of transaction: Transaction, on network: Network) -> Parties {
        let sender = transaction.inputs.first?.spent?.script.address(on: network)
        let outputs = transaction.outputs.compactMap { output in
            output.script.address(on: network).map { (address: $0, amount: output.amount) }
        }
        let receiver = outputs.first { $0.address != sender }?.address ?? outputs.first?.address
        let amount = outputs.reduce(Sompi.zero) { $1.address == receiver ? $0 + $1.amount : $0 }
        return Parties(sender: sender, receiver: receiver, amount: amount)
    }
}
