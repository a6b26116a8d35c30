import KasiaProtocol
import Kaspa
import KaspaNode

/// Makes the transactions of a generated recording.
struct TransactionMaker: Sendable {
    /// A transaction, and the operation that it is, if any.
    struct Made: Sendable {
        let transaction: GraphTransaction
        let operation: GeneratedOperation?
        let coins: [CoinPool.Coin]
    }

    let wallets: [GeneratedWallet]
    private let writer: OperationWriter

    init(wallets: [GeneratedWallet], parameters: GeneratorParameters) {
        self.wallets = wallets
        writer = OperationWriter(wallets: wallets, parameters: parameters)
    }

    /// A transaction that spends one or two coins of some wallet; nil if nobody has any.
    func make(
        from pool: inout CoinPool, unspent: UnspentOutputs, level: Int, random: inout SeededRandom
    ) -> Made? {
        let first = random.number(below: wallets.count)
        for turn in wallets.indices {
            let sender = (first + turn) % wallets.count
            guard let coin = pool.take(of: sender, unspent: unspent, level: level, random: &random) else { continue }
            var coins = [coin]
            // Who has many coins puts two together, so that their number does not grow for ever.
            if pool.count(of: sender) > Self.manyCoins,
                let second = pool.take(of: sender, unspent: unspent, level: level, random: &random)
            {
                coins.append(second)
            }
            let keepsWhole = pool.count(of: sender) > Self.fewCoins
            return make(spending: coins, keepsWhole: keepsWhole, rival: nil, random: &random)
        }
        return nil
    }

    /// Another transaction that spends the same coins.
    func rival(of made: Made, random: inout SeededRandom) -> Made? {
        guard !made.coins.isEmpty else { return nil }
        return make(spending: made.coins, keepsWhole: false, rival: made.transaction.id, random: &random)
    }

    /// A coinbase that pays the wallets given, each the same amount.
    func coinbase(paying receivers: [Int], amount: UInt64, random: inout SeededRandom) -> Made {
        let outputs = receivers.map { wallets[$0].output(of: amount) }
        let message = message(spending: [], outputs: outputs, payload: random.bytes(16), random: &random)
        return Made(transaction: message, operation: nil, coins: [])
    }

    private func make(
        spending coins: [CoinPool.Coin], keepsWhole: Bool, rival: TransactionID?, random: inout SeededRandom
    ) -> Made {
        let sender = coins[0].wallet
        let receiver = (sender + 1 + random.number(below: wallets.count - 1)) % wallets.count
        let draft = writer.draft(from: sender, to: receiver, random: &random)
        let total = coins.reduce(0) { $0 &+ $1.amount }
        let fee = min(total, Self.fee)
        // Between a quarter and three quarters, so that coins do not soon turn to dust.
        let paid = (total - fee) / 4 + UInt64(random.number(below: Int(clamping: (total - fee) / 2)))
        let change = total - fee - paid
        let pays = draft.map { $0.kind.paysReceiver || $0.isForged } ?? true
        let outputs =
            pays
            ? [wallets[receiver].output(of: paid), wallets[sender].output(of: change)]
            : keepsWhole
                ? [wallets[sender].output(of: total - fee)]
                : [wallets[sender].output(of: paid), wallets[sender].output(of: change)]
        let transaction = message(
            spending: coins, outputs: outputs, payload: draft?.payload ?? [], random: &random)
        let operation = draft.map { draft in
            let addressed = draft.kind.paysReceiver
            return GeneratedOperation(
                id: transaction.id, kind: draft.kind, sender: wallets[sender].address,
                receiver: addressed ? wallets[receiver].address : nil, amount: addressed ? paid : nil,
                alias: draft.alias, isForged: draft.isForged, rival: rival, payload: draft.payload)
        }
        return Made(transaction: transaction, operation: operation, coins: coins)
    }

    private func message(
        spending coins: [CoinPool.Coin], outputs: [Protowire_RpcTransactionOutput], payload: [UInt8],
        random: inout SeededRandom
    ) -> GraphTransaction {
        let id = random.hash()
        var message = Protowire_RpcTransaction()
        message.inputs = coins.map { coin in
            var input = Protowire_RpcTransactionInput()
            input.previousOutpoint.transactionID = coin.outpoint.transactionID.description
            input.previousOutpoint.index = coin.outpoint.index
            input.signatureScript = "41\(Hex.encode(random.bytes(64)))01"
            input.sigOpCount = 1
            return input
        }
        message.outputs = outputs
        message.subnetworkID = coins.isEmpty ? Self.coinbaseSubnetwork : Self.nativeSubnetwork
        message.payload = Hex.encode(payload)
        message.verboseData.transactionID = id.description
        return GraphTransaction(id: id, spends: coins.map(\.outpoint), message: message)
    }

    private static let fee: UInt64 = 2_000
    private static let fewCoins = 4
    private static let manyCoins = 12
    private static let nativeSubnetwork = String(repeating: "0", count: 40)
    private static let coinbaseSubnetwork = "01" + String(repeating: "0", count: 38)
}
