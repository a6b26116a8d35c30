import Kaspa
import KaspadReplay
import Recordings

/// The generated chain of the crash test, and who must know what of it.
struct CrashChain: Sendable {
    let recording: Recording
    let wallets: [GeneratedWallet]
    let oracle: GenerationOracle
    /// The entry that first accepted a transaction.
    let firstAcceptance: [TransactionID: Int]
    /// The entry that last accepted it.
    let lastAcceptance: [TransactionID: Int]
    /// What was ever accepted, by the address that it is told for: a message's sender, a payment's receiver.
    let accepted: [Address: [GenerationOracle.Standing]]

    init(seed: UInt64, blocks: Int, wallets count: Int) {
        var parameters = GeneratorParameters()
        parameters.seed = seed
        parameters.blocks = blocks
        parameters.wallets = count
        parameters.reorganisationRate = 0.1
        var generator = RecordingGenerator(parameters)
        let header = generator.header
        wallets = generator.wallets
        var oracle = GenerationOracle()
        var entries: [Recording_RecordingEntry] = []
        var firstAcceptance: [TransactionID: Int] = [:]
        var lastAcceptance: [TransactionID: Int] = [:]
        while let entry = generator.next() {
            oracle.observe(entry)
            for accepted in entry.step?.added.flatMap(\.accepted) ?? [] {
                let id = accepted.transaction.id
                if firstAcceptance[id] == nil { firstAcceptance[id] = entries.count }
                lastAcceptance[id] = entries.count
            }
            entries.append(entry.message)
        }
        recording = Recording(header: header, entries: entries)
        self.oracle = oracle
        self.firstAcceptance = firstAcceptance
        self.lastAcceptance = lastAcceptance
        accepted = Dictionary(grouping: oracle.standings.values.filter { $0.acceptances > 0 }) {
            CrashDevice.concerned(by: $0.operation)
        }
    }
}
