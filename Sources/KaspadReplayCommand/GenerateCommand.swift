import ArgumentParser
import Foundation
import Kaspa
import KaspadReplay
import Recordings

/// `generate`: a recording of a network that never was, for load and for tests that need more than the recorded blocks.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract:
            "Write a recording of wallets that chat, pay and shake hands, with parallel blocks and reorganisations.",
        discussion: "The same seed and options give the same file, byte for byte.")

    @Argument(help: "The file to write; an old one is replaced.")
    var file: String

    @Option(help: "Where all randomness comes from.")
    var seed: UInt64 = 1

    @Option(help: "The number of blocks.")
    var blocks = 1000

    @Option(help: "The number of wallets.")
    var wallets = 20

    @Option(help: "Most transactions that arise in a block.")
    var transactionsPerBlock = 8

    @Option(help: "The share of transactions that are Kasia operations, 0 to 1.")
    var operationShare = 0.6

    @Option(help: "How likely it is at each level of the graph that a branch replaces the chain, 0 to 1.")
    var reorganisationRate = 0.05

    @Option(help: "Milliseconds from one block to the next.")
    var blockInterval = 100

    @Option(
        help: ArgumentHelp(
            "Write to this file what a reader must find: a line for each operation that a block carries.",
            valueName: "file"))
    var operations: String?

    func validate() throws {
        guard (1...10_000_000).contains(blocks) else { throw ValidationError("--blocks must be 1 to 10000000") }
        guard (2...1_000_000).contains(wallets) else { throw ValidationError("--wallets must be 2 to 1000000") }
        guard (0...10_000).contains(transactionsPerBlock) else {
            throw ValidationError("--transactions-per-block must be 0 to 10000")
        }
        guard (1...86_400_000).contains(blockInterval) else {
            throw ValidationError("--block-interval must be 1 to 86400000")
        }
        for share in [operationShare, reorganisationRate] where !(0...1).contains(share) {
            throw ValidationError("--operation-share and --reorganisation-rate must be 0 to 1")
        }
    }

    func run() throws {
        var parameters = GeneratorParameters()
        parameters.seed = seed
        parameters.blocks = blocks
        parameters.wallets = wallets
        parameters.transactionsPerBlock = 0...transactionsPerBlock
        parameters.operationShare = operationShare
        parameters.reorganisationRate = reorganisationRate
        parameters.blockInterval = blockInterval
        let generator = RecordingGenerator(parameters)
        let writer = try RecordingWriter(path: file, header: generator.header)
        var oracle = operations.map { _ in GenerationOracle() }
        var written = 0
        for entry in generator {
            try writer.append(entry.message)
            oracle?.observe(entry)
            guard entry.block != nil else { continue }
            written += 1
            if written.isMultiple(of: 10_000) {
                FileHandle.standardError.write(Data("\(written) of \(blocks) blocks\n".utf8))
            }
        }
        try writer.close()
        if let operations, let oracle {
            try Data(oracle.lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: operations))
        }
        print(try RecordingSummary(RecordingReader(path: file)))
    }
}
