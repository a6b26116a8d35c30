import Foundation
import TestRandom

@testable import KasiaPushStore

/// An extension that adds and an app that takes, on one file, one of them or both killed again and again.
struct KillRun {
    /// So few that the file remembers every transaction: about ten for each kill.
    static let kills = 60

    let file: String
    var random = SeededRandom()
    private(set) var history = KillHistory()
    private(set) var adderKills = 0

    init(file: String) { self.file = file }

    /// Runs until all is taken or something is wrong; blocks.
    mutating func run() throws {
        let processes = try StoreProcesses()
        var adder = try processes.start("adder", file, "0")
        var taker = try processes.start("taker", file, "0")
        for kill in 1...KillRun.kills where history.problems.isEmpty {
            for _ in 0..<Int.random(in: 1...60, using: &random) where history.problems.isEmpty {
                history.note(processes.line() ?? "silence")
            }
            // Not a wait for anything: it moves the kill to any place between two lines.
            usleep(.random(in: 0...1_000, using: &random))
            let victims = Int.random(in: 0...2, using: &random)
            if victims != 0 { StoreProcesses.kill(adder) }
            if victims != 1 { StoreProcesses.kill(taker) }
            try checkIntegrity()
            if victims != 0 {
                adderKills += 1
                adder = try processes.start("adder", file, String(kill * 1_000_000))
            }
            if victims != 1 {
                taker = try processes.start("taker", file, String(Int64(kill) * PendingMessages.leaseMilliseconds))
            }
        }
        StoreProcesses.kill(adder)
        StoreProcesses.kill(taker)
        adderKills += 1
        let drain = try processes.start("drain", file)
        processes.finishWriting()
        while let line = processes.line() { history.note(line) }
        StoreProcesses.kill(drain)
        try checkIntegrity()
    }

    /// By a connection that is closed again, so that sometimes the processes themselves recover the log.
    private mutating func checkIntegrity() throws {
        let connection = try SQLiteConnection(
            path: StoreFile.resolve(file), busyTimeoutMilliseconds: Database.busyTimeoutMilliseconds)
        for pragma in ["PRAGMA integrity_check", "PRAGMA foreign_key_check"] as [StaticString] {
            let found = try connection.rows(pragma) { (row) throws(StoreError) in try row.text(0) }
            history.problems += found.filter { $0 != "ok" }
        }
    }
}
