package import KasiaProtocol
package import Kaspa

/// The parameters of a generated recording.
///
/// Equal parameters give equal recordings, byte for byte. Values out of their range are taken as the nearest in it.
package struct GeneratorParameters: Hashable, Sendable {
    /// The seed of all random numbers.
    package var seed: UInt64 = 1

    /// The network that the recording is of.
    package var network = Network.mainnet

    /// The number of wallets, at least 2.
    package var wallets = 20

    /// The number of blocks, the first one included; nil for no end.
    package var blocks: Int? = 1000

    /// How many blocks arise next to each other, none knowing of the others; at least 1.
    package var parallelBlocks = 1...4

    /// The number of transactions that arise in a block, beside its coinbase and the copies of others'.
    package var transactionsPerBlock = 0...8

    /// The share of transactions that are Kasia operations; the others only move coins.
    package var operationShare = 0.6

    /// How often each kind arises, relative to the others.
    package var weights: [OperationKind: Int] = [
        .contextualMessage: 60, .payment: 12, .handshake: 10, .groupMessage: 8, .selfStash: 4, .groupControl: 3,
        .broadcast: 3,
    ]

    /// The share of contextual messages whose alias is someone else's, sent along with coins to that wallet.
    package var forgeryRate = 0.02

    /// How likely it is at each level of the graph that a branch grows unseen and then replaces the chain.
    package var reorganisationRate = 0.05

    /// How many chain blocks such a branch replaces, at least 1.
    package var reorganisationDepth = 1...5

    /// How likely a transaction gets a rival in a parallel block that spends the same coins.
    package var doubleSpendRate = 0.03

    /// How likely a transaction is in a parallel block as well.
    package var duplicateRate = 0.2

    /// Milliseconds from one block to the next, at least 1.
    package var blockInterval = 100

    /// The length of a message's or memo's sealed body in bytes.
    package var bodyBytes = 60...400

    /// The first block's time in milliseconds since 1970.
    package var startTime: UInt64 = 1_735_689_600_000

    /// How many blocks are remembered; the depth of reorganisations must stay well below.
    ///
    /// Bounds the memory of an endless recording, together with the number of wallets.
    package var rememberedBlocks = 2000

    /// Takes the defaults: ten blocks a second in which twenty wallets mostly chat.
    package init() {}
}
