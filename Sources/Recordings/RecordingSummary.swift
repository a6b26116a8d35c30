import Foundation
import KaspaNode

/// The numbers of a recording.
package struct RecordingSummary: Hashable, Sendable, CustomStringConvertible {
    /// The network that the recording is of.
    package var network = ""
    /// Its description.
    package var text = ""
    /// The number of block notifications.
    package var blocks = 0
    /// The number of transactions in those blocks, with repeats.
    package var transactions = 0
    /// The changes of the virtual chain.
    package var virtualChainChanges = 0
    /// The blocks added to and removed from the virtual chain.
    package var addedChainBlocks = 0, removedChainBlocks = 0
    /// The number of acceptances of transactions, with repeats.
    package var acceptances = 0
    /// The time from the recording's start to its last entry, in milliseconds.
    package var durationMilliseconds: UInt64 = 0
    /// The earliest and the latest block's time in milliseconds since 1970; nil without blocks.
    package var blockTimes: ClosedRange<Int64>?

    /// Reads a recording to its end.
    package init(_ reader: RecordingReader) throws(RecordingError) {
        network = reader.header.networkID
        text = reader.header.description_p
        while let entry = try reader.next() {
            durationMilliseconds = entry.offsetMs
            switch entry.event {
            case .block(let block):
                blocks += 1
                transactions += block.transactions.count
                let time = block.header.timestamp
                blockTimes = blockTimes.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
            case .virtualChain(let change):
                virtualChainChanges += 1
                addedChainBlocks += change.added.count
                removedChainBlocks += change.removedChainBlockHashes.count
                acceptances += change.added.reduce(0) { $0 + $1.acceptedTransactions.count }
            case nil:
                break
            }
        }
    }

    /// One line for each fact.
    package var description: String {
        var lines = [
            "network        \(network)",
            "blocks         \(blocks) with \(transactions) transactions",
            "virtual chain  \(virtualChainChanges) changes: \(addedChainBlocks) blocks added, "
                + "\(removedChainBlocks) removed, \(acceptances) acceptances",
            "lasts          \(Double(durationMilliseconds) / 1000) s",
        ]
        if let blockTimes {
            let dates = [blockTimes.lowerBound, blockTimes.upperBound].map {
                Date(timeIntervalSince1970: Double($0) / 1000).formatted(.iso8601)
            }
            lines.append("block times    \(dates[0]) to \(dates[1])")
        }
        if !text.isEmpty { lines.append("description    \(text)") }
        return lines.joined(separator: "\n")
    }
}
