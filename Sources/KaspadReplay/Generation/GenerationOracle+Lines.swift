private import KasiaProtocol
private import Kaspa

extension GenerationOracle {
    /// What must be known, as text for readers in other programs: first the names of the fields, then a line for each
    /// operation in the order of transaction ids, and an empty one.
    ///
    /// Fields are parted by tabs: transaction id, kind, sender, receiver, accepting block of the virtual chain as it is
    /// by now, and how often a chain block accepted it. A dash stands for none.
    package var lines: [String] {
        ["tx_id\tkind\tsender\treceiver\taccepting_block\tacceptances"]
            + standings.values.sorted { $0.operation.id < $1.operation.id }.map(Self.line) + [""]
    }

    private static func line(_ standing: Standing) -> String {
        let operation = standing.operation
        return [
            operation.id.description, operation.kind.description, operation.sender.description,
            operation.receiver?.description ?? "-", standing.acceptingBlock?.description ?? "-",
            "\(standing.acceptances)",
        ].joined(separator: "\t")
    }
}
