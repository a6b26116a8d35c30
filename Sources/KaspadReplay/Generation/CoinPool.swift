import Kaspa

/// The coins that the wallets of a generated recording can spend.
///
/// A coin is given out once, even if a reorganisation undoes its transaction and accepts it again in between.
struct CoinPool: Sendable {
    struct Coin: Sendable {
        let outpoint: Outpoint
        let amount: UInt64
        let wallet: Int
    }

    private var coins: [[Coin]]
    private var arriving: [Coin] = []

    // What is in the pool or was given out not long ago, so that an output accepted twice is taken in once.
    private var known: Set<Outpoint> = []
    private var given: [(outpoint: Outpoint, level: Int)] = []

    init(wallets: Int) {
        coins = Array(repeating: [], count: wallets)
    }

    /// The number of a wallet's coins.
    func count(of wallet: Int) -> Int { coins[wallet].count }

    /// Notes an accepted output, to be spent from the next call of `open` on.
    mutating func arrive(_ coin: Coin) {
        arriving.append(coin)
    }

    /// Takes in what has arrived and is still unspent; forgets what was given out before a level.
    mutating func open(_ unspent: UnspentOutputs, forgettingBelow level: Int) {
        for coin in arriving where unspent[coin.outpoint] != nil && known.insert(coin.outpoint).inserted {
            coins[coin.wallet].append(coin)
        }
        arriving.removeAll()
        let old = given.prefix { $0.level < level }.count
        // Shifting the rest costs as much as what is dropped, so wait until that is half of it.
        guard old > given.count / 2 else { return }
        for entry in given.prefix(old) { known.remove(entry.outpoint) }
        given.removeFirst(old)
    }

    /// Gives out one coin of a wallet; nil if it has none that is unspent.
    mutating func take(
        of wallet: Int, unspent: UnspentOutputs, level: Int, random: inout SeededRandom
    ) -> Coin? {
        while !coins[wallet].isEmpty {
            coins[wallet].swapAt(random.number(below: coins[wallet].count), coins[wallet].count - 1)
            let coin = coins[wallet].removeLast()
            if unspent[coin.outpoint] != nil {
                given.append((coin.outpoint, level))
                return coin
            }
            // A reorganisation took it away; it arrives again once it is accepted again.
            known.remove(coin.outpoint)
        }
        return nil
    }

    /// Sets half of the coins aside, for a branch that must not spend what the other one makes.
    mutating func split() -> CoinPool {
        var other = CoinPool(wallets: coins.count)
        for wallet in coins.indices {
            let count = coins[wallet].count / 2
            other.coins[wallet] = Array(coins[wallet].suffix(count))
            coins[wallet].removeLast(count)
        }
        return other
    }

    /// Takes back what `split` set aside and was not given out.
    mutating func join(_ other: CoinPool) {
        for wallet in coins.indices { coins[wallet] += other.coins[wallet] }
        given += other.given
    }
}
