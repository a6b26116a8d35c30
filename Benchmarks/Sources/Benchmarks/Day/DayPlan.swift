import Foundation

/// How large a day is, how fast it goes by, and how many there are.
struct DayPlan {
    /// Blocks of a day.
    let blocks: Int
    let wallets: Int
    /// A day's length on the clock.
    let seconds: Double
    /// Devices that are there all day, that Apple says are gone, and that come and go.
    let (residents, gone, guests): (Int, Int, Int)
    /// Pairs of streams on one address: one stays open, the other breaks and resumes.
    let streams: Int
    /// Requests a second, all day.
    let (reads, moves): (Double, Double)
    var days = 1

    static let full = DayPlan(
        blocks: 86_400, wallets: 500, seconds: 720, residents: 300, gone: 60, guests: 100, streams: 4,
        reads: 20, moves: 2)
    static let quick = DayPlan(
        blocks: 1_800, wallets: 100, seconds: 36, residents: 60, gone: 12, guests: 20, streams: 2, reads: 20, moves: 2)

    static let transactionsPerBlock = 3
    static let contacts = 4
    static let operationShare = 0.6
    static let reorganisationRate = 0.01

    var hours: Int { 24 * days }
    /// One simulated hour on the clock.
    var hour: Duration { .seconds(seconds / 24) }
    var blockInterval: Int { 86_400_000 / blocks }
    var speed: Double { 86_400 / seconds }
    /// The node hangs up about every second simulated hour.
    var disconnectEvery: Double { max(5, seconds / 12 * 0.9) }
}
