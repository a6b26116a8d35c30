import Kaspa
import KaspaNode
package import Recordings

/// Makes a recording of a network that does not exist: wallets that chat, pay and shake hands over a graph of parallel
/// blocks with reorganisations and double spends.
///
/// The graph grows by levels. The blocks of a level know those of the levels before, not each other. Now and then a
/// branch grows unseen from the tips of a level while the chain goes on, and then appears with more work. No block
/// carries a transaction that is not spendable in its own view; rivals that spend the same coins are in different,
/// parallel blocks.
package struct RecordingGenerator: Sequence, IteratorProtocol, Sendable {
    /// The parameters, within their bounds.
    package let parameters: GeneratorParameters

    /// The wallets.
    package let wallets: [GeneratedWallet]

    /// The recording's first message.
    package let header: Recording_RecordingHeader

    let maker: TransactionMaker
    var random: SeededRandom
    var derivation: VirtualChainDerivation
    var pool: CoinPool
    var tips: [BlockHash]
    var level = 0

    // The next block's time, and how far the recording has come.
    var clock: UInt64
    var offset: UInt64 = 0
    let walletOfAddress: [String: Int]

    // Entries made and not yet given out, the next one last.
    private var waiting: [GeneratedEntry] = []
    private var given = 0

    /// Prepares a recording; nothing but the first block is made yet.
    package init(_ parameters: GeneratorParameters) {
        let parameters = Self.bounded(parameters)
        self.parameters = parameters
        var random = SeededRandom(seed: parameters.seed)
        let wallets = Self.wallets(parameters, &random)
        self.wallets = wallets
        walletOfAddress = Dictionary(
            wallets.enumerated().map { ($1.address.description, $0) }, uniquingKeysWith: { first, _ in first })
        maker = TransactionMaker(wallets: wallets, parameters: parameters)
        pool = CoinPool(wallets: wallets.count)
        clock = parameters.startTime
        let block = Self.firstBlock(random.hash(), parameters)
        derivation = VirtualChainDerivation(start: block, remembering: parameters.rememberedBlocks)
        tips = [block.hash]
        self.random = random
        var recording = Recording_RecordingHeader()
        recording.formatVersion = 1
        recording.networkID = parameters.network.description
        recording.description_p = "Generated from seed \(parameters.seed)"
        recording.startHash = block.hash.description
        self.header = recording
        waiting = [Self.entry(block, message: Self.message(of: block), operations: [], offset: 0)]
    }

    private static func bounded(_ parameters: GeneratorParameters) -> GeneratorParameters {
        var parameters = parameters
        parameters.wallets = Swift.max(2, parameters.wallets)
        parameters.blockInterval = Swift.max(1, parameters.blockInterval)
        parameters.parallelBlocks = Self.clamp(parameters.parallelBlocks, least: 1)
        parameters.transactionsPerBlock = Self.clamp(parameters.transactionsPerBlock, least: 0)
        parameters.reorganisationDepth = Self.clamp(parameters.reorganisationDepth, least: 1)
        // Twice what two branches of the greatest depth need, so that nothing is forgotten that is needed again.
        let branches = 4 * (parameters.reorganisationDepth.upperBound + 2) * (parameters.parallelBlocks.upperBound + 1)
        parameters.rememberedBlocks = Swift.max(parameters.rememberedBlocks, branches + 16 * Self.mostParents)
        return parameters
    }

    private static func wallets(_ parameters: GeneratorParameters, _ random: inout SeededRandom) -> [GeneratedWallet] {
        var wallets: [GeneratedWallet] = []
        while wallets.count < parameters.wallets {
            guard let wallet = GeneratedWallet(network: parameters.network, random: &random) else { continue }
            wallets.append(wallet)
        }
        return wallets
    }

    private static func firstBlock(_ hash: BlockHash, _ parameters: GeneratorParameters) -> GraphBlock {
        var header = Protowire_RpcBlockHeader()
        header.hash = hash.description
        header.version = 2
        header.timestamp = Int64(clamping: parameters.startTime)
        header.blueWork = "0"
        return GraphBlock(hash: hash, parents: [], blueWork: BlueWork(0), header: header, transactions: [])
    }

    /// The next entry; nil after the last block and what it changed.
    package mutating func next() -> GeneratedEntry? {
        let isDone = parameters.blocks.map { given >= $0 } ?? false
        if waiting.isEmpty, !isDone { grow() }
        guard let entry = waiting.last, entry.block == nil || !isDone else { return nil }
        waiting.removeLast()
        if entry.block != nil { given += 1 }
        return entry
    }

    private mutating func grow() {
        var made: [GeneratedEntry] = []
        if level == 0 {
            fund(&made)
        } else if random.chance(parameters.reorganisationRate) {
            growBranches(&made)
        } else {
            _ = growLevel(&made)
        }
        waiting = made.reversed()
    }

    private static func clamp(_ range: ClosedRange<Int>, least: Int) -> ClosedRange<Int> {
        Swift.max(least, range.lowerBound)...Swift.max(least, range.upperBound)
    }

    /// How many parents a block has at most, the first block of a branch excepted.
    static let mostParents = 10
}
