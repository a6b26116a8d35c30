import Kaspa

/// How the graph grows: level by level, and in branches.
extension RecordingGenerator {
    /// The first level: one block that pays every wallet its first coins, and one that accepts it.
    mutating func fund(_ made: inout [GeneratedEntry]) {
        let perLevel = parameters.transactionsPerBlock.upperBound * parameters.parallelBlocks.upperBound
        let each = Swift.max(4, 8 * perLevel / wallets.count)
        let receivers = (0..<each * wallets.count).map { $0 % wallets.count }
        let funding = maker.coinbase(paying: receivers, amount: 100 * Sompi.perKAS, random: &random)
        for coinbase in [funding, nil] {
            guard let hash = add(parents: tips, contents: [], coinbase: coinbase, to: &made) else { return }
            tips = [hash]
            level += 1
        }
    }

    /// One level of parallel blocks on the tips; returns what arose in it.
    mutating func growLevel(_ made: inout [GeneratedEntry]) -> [TransactionMaker.Made] {
        level += 1
        pool.open(derivation.unspent, forgettingBelow: level - Self.levelsUntilForgotten)
        let width = random.number(in: parameters.parallelBlocks)
        var contents: [[TransactionMaker.Made]] = Array(repeating: [], count: width)
        var arisen: [TransactionMaker.Made] = []
        for block in contents.indices {
            for _ in 0..<random.number(in: parameters.transactionsPerBlock) {
                guard
                    let transaction = maker.make(
                        from: &pool, unspent: derivation.unspent, level: level, random: &random)
                else { break }
                arisen.append(transaction)
                contents[block].append(transaction)
                spread(transaction, from: block, over: &contents)
            }
        }
        let known = tips
        var unmerged = Set(known)
        var grown: [BlockHash] = []
        for content in contents {
            let parents = chooseParents(of: known)
            guard let hash = add(parents: parents, contents: content, to: &made) else { continue }
            unmerged.subtract(parents)
            grown.append(hash)
        }
        tips = known.filter(unmerged.contains) + grown
        return arisen
    }

    /// Puts copies and rivals of a transaction into blocks next to the one in which it arose.
    private mutating func spread(
        _ transaction: TransactionMaker.Made, from block: Int, over contents: inout [[TransactionMaker.Made]]
    ) {
        let conflicts = random.chance(parameters.doubleSpendRate)
        for other in contents.indices where other != block {
            if conflicts {
                guard let rival = maker.rival(of: transaction, random: &random) else { return }
                contents[other].append(rival)
                return
            }
            if random.chance(parameters.duplicateRate) { contents[other].append(transaction) }
        }
    }

    /// The best of the tips, and most of the others; a block sees its selected parent at least.
    private mutating func chooseParents(of tips: [BlockHash]) -> [BlockHash] {
        let numbers = tips.compactMap { derivation.graph.number(of: $0) }
        guard let best = numbers.max(by: derivation.graph.precedes) else { return tips }
        var parents = [best]
        for number in numbers where number != best && parents.count < Self.mostParents {
            // Old tips must be merged before they are forgotten.
            let isOld = derivation.graph.nextNumber - number > Self.mostParents * 2
            if isOld || random.chance(Self.shareOfTipsSeen) { parents.append(number) }
        }
        return parents.map { derivation.graph[$0].hash }
    }

    /// A branch that goes on as the chain, and one that grows beside it and replaces it.
    mutating func growBranches(_ made: inout [GeneratedEntry]) {
        pool.open(derivation.unspent, forgettingBelow: level - Self.levelsUntilForgotten)
        var aside = pool.split()
        let (base, branchStart) = (tips, clock)
        var arisen: [TransactionMaker.Made] = []
        for step in 0..<random.number(in: parameters.reorganisationDepth) {
            let ofLevel = growLevel(&made)
            // What spends coins made before the branches parted can be in both.
            if step == 0 { arisen = ofLevel }
        }
        let (visible, replaced, chainEnd) = (tips, derivation.sink, clock)
        clock = branchStart
        var branch = base
        while branch == base || derivation.sink == replaced {
            var content: [TransactionMaker.Made] = []
            for _ in 0..<random.number(in: parameters.transactionsPerBlock) {
                guard
                    let transaction = maker.make(
                        from: &aside, unspent: derivation.unspent, level: level, random: &random)
                else { break }
                content.append(transaction)
            }
            // The branch's blocks see each other, so each of these goes into the first one only.
            if branch == base {
                for transaction in arisen {
                    if random.chance(parameters.doubleSpendRate) {
                        if let rival = maker.rival(of: transaction, random: &random) { content.append(rival) }
                    } else if random.chance(parameters.duplicateRate) {
                        content.append(transaction)
                    }
                }
            }
            guard let hash = add(parents: branch, contents: content, to: &made) else { break }
            branch = [hash]
        }
        pool.join(aside)
        clock = Swift.max(clock, chainEnd)
        // Tips of the base that no visible block merged are merged by the branch.
        tips = visible.filter { !base.contains($0) } + branch
    }

    /// The share of the other tips that a block has heard of.
    private static let shareOfTipsSeen = 0.85

    /// For how many levels a coin that was given out is remembered.
    private static let levelsUntilForgotten = 200
}
