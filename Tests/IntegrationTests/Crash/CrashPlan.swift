import Foundation
import KaspadReplay

/// How often the crash test kills, and where its randomness comes from.
struct CrashPlan: Sendable {
    /// Fifty in `make test`, a thousand in `make crash-test`; `CRASH_TEST_KILLS` sets another number.
    let kills: Int
    /// `CRASH_TEST_SEED` repeats what a run printed.
    let seed: UInt64
    /// Entries of the generated recording for each kill: some hundred notifications.
    static let blocksPerKill = 12
    /// So many that none is owed as much as may wait for a device before its first answer, or as it is told of strangers
    /// within an hour, even if a machine is so slow that hardly anything is sent before the last start.
    var wallets: Int { 90 * max(50, kills) / 50 }
    /// Devices; some wallets have two.
    var devices: Int { wallets * 3 / 2 }

    /// A kill takes about a second on a busy machine; this is many times that.
    var minutes: Int { 5 + kills / 10 }

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        kills = environment["CRASH_TEST_KILLS"].flatMap { Int($0) } ?? 50
        seed = environment["CRASH_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
    }
}

/// When a process is killed.
enum KillMoment: Sendable {
    /// Counted from its start, which takes some hundred milliseconds itself.
    case afterTime(Duration)
    /// When the sandbox has dealt with so many of its requests.
    case afterRequests(Int)
    /// When it has answered so many changes of registrations.
    case afterAnswers(Int)
    /// When the node has told so many portions of the chain while it listened.
    case afterPortions(Int)

    /// At the latest, where the count is never reached.
    static let limit = Duration.seconds(3)

    static func random(_ random: inout SeededRandom) -> KillMoment {
        switch random.number(below: 8) {
        case 0, 1: .afterTime(.milliseconds(random.number(below: 900)))
        case 2, 3, 4: .afterRequests(random.number(in: 1...60))
        case 5, 6: .afterAnswers(random.number(in: 1...15))
        default: .afterPortions(random.number(in: 1...10))
        }
    }

    var timeLimit: Duration {
        if case .afterTime(let time) = self { time } else { KillMoment.limit }
    }

    /// Takes in what happened; true when the moment has come.
    mutating func hasCome(with event: LifeEvent) -> Bool {
        switch (event, self) {
        case (.timeLimit, _):
            return true
        case (.request, .afterRequests(let count)):
            self = .afterRequests(count - 1)
            return count <= 1
        case (.answer, .afterAnswers(let count)):
            self = .afterAnswers(count - 1)
            return count <= 1
        case (.portion, .afterPortions(let count)):
            self = .afterPortions(count - 1)
            return count <= 1
        default:
            return false
        }
    }
}

/// What happens around a process that is going to be killed.
enum LifeEvent: Sendable {
    case request
    case answer
    case portion
    case timeLimit
}
