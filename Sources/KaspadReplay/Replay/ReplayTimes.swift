import Kaspa
import KaspaNode
import Recordings

/// Moves a recording's block times to the present; hashes stay as they are, and so no longer commit to the times.
///
/// - At real time with factor f, a recorded block gets the time at which it is told: start + its entry's offset ÷ f. A
///   block that the recording accepts from but does not hold keeps its distance from the first block, divided by f; no
///   time is less than 0.
/// - As fast as possible and in steps, every time is moved by the same amount, so that the latest block's time is the
///   start.
///
/// The start is the moment at which the replay node begins to play, or is first advanced.
struct ReplayTimes: Sendable {
    private let start: Int128
    private let factor: Double
    /// The recorded time that becomes `start`.
    private let origin: Int128
    /// Times of blocks that are not moved like the others.
    private var told: [BlockHash: UInt64]

    /// Looks at all blocks of a recording.
    init(_ entries: [Recording_RecordingEntry], pace: ReplayPace, start: UInt64) {
        self.start = Int128(start)
        let blocks = entries.lazy.filter { $0.event?.isBlock == true }
        guard case .realTime(let factor) = pace else {
            factor = 1
            origin = Int128(blocks.map(\.block.header.timestamp).max() ?? 0)
            told = [:]
            return
        }
        self.factor = factor
        let first = blocks.first
        origin = Int128(first?.block.header.timestamp ?? 0) - Int128(first?.offsetMs ?? 0)
        var told: [BlockHash: UInt64] = [:]
        for entry in blocks {
            guard let hash = Hash(entry.block.header.hash) else { continue }
            // A block that is told twice has the time of the first.
            if told[hash] == nil {
                told[hash] = Self.clamped(Int128(start) + Self.divided(Int128(entry.offsetMs), factor))
            }
        }
        self.told = told
    }

    /// Gives a block, unless it was told before, this time in milliseconds since 1970.
    mutating func tell(_ entry: Recording_RecordingEntry, at time: UInt64) {
        guard case .block(let block) = entry.event, let hash = Hash(block.header.hash), told[hash] == nil
        else { return }
        told[hash] = Self.clamped(Int128(time))
    }

    /// The new time of a block.
    func time(of hash: BlockHash?, recorded: Int64) -> UInt64 {
        if let hash, let time = told[hash] { return time }
        return Self.clamped(start + Self.divided(Int128(recorded) - origin, factor))
    }

    /// An entry with all its times moved.
    func moved(_ entry: Recording_RecordingEntry) -> Recording_RecordingEntry {
        var entry = entry
        switch entry.event {
        case .block(var block):
            move(&block)
            entry.event = .block(block)
        case .virtualChain(var change):
            for index in change.added.indices {
                move(&change.added[index])
            }
            entry.event = .virtualChain(change)
        case nil:
            break
        }
        return entry
    }

    private func move(_ block: inout Protowire_RpcBlock) {
        let time = time(of: Hash(block.header.hash), recorded: block.header.timestamp)
        block.header.timestamp = Int64(clamping: time)
        for index in block.transactions.indices where block.transactions[index].hasVerboseData {
            block.transactions[index].verboseData.blockTime = time
        }
    }

    private func move(_ acceptance: inout Protowire_RpcChainBlockAcceptedTransactions) {
        let header = acceptance.chainBlockHeader
        acceptance.chainBlockHeader.timestamp = Int64(
            clamping: time(of: Hash(header.hash), recorded: header.timestamp))
        for index in acceptance.acceptedTransactions.indices {
            let verbose = acceptance.acceptedTransactions[index].verboseData
            guard verbose.hasBlockTime else { continue }
            acceptance.acceptedTransactions[index].verboseData.blockTime = time(
                of: Hash(verbose.blockHash), recorded: Int64(clamping: verbose.blockTime))
        }
    }

    private static func divided(_ milliseconds: Int128, _ factor: Double) -> Int128 {
        // Far beyond any time, and far from what Int128 cannot hold.
        let limit = 1e30
        return factor == 1 ? milliseconds : Int128(min(max(Double(milliseconds) / factor, -limit), limit).rounded())
    }

    /// Times come from a file: what does not fit is put at the nearest end.
    private static func clamped(_ milliseconds: Int128) -> UInt64 {
        UInt64(clamping: min(max(milliseconds, 0), Int128(Int64.max)))
    }
}

extension Recording_RecordingEntry.OneOf_Event {
    /// Whether a block was told.
    var isBlock: Bool {
        if case .block = self { true } else { false }
    }
}
