import Kaspa

/// Answers of GetVirtualChainFromBlockV2 at verbosity HIGH, as bytes: what a node sends to who catches up.
struct ChainAnswers {
    static let blocksPerAnswer = 10
    static let transactionsPerBlock = 300
    /// One transaction in so many is ours.
    static let oursEvery = 100
    /// One transaction in so many pays to a watched address.
    static let watchedEvery = 1000

    /// One `KaspadResponse` each.
    let responses: [[UInt8]]
    let transactionCount: Int
    let oursCount: Int

    var byteCount: Int { responses.reduce(0) { $0 + $1.count } }

    /// `time` is that of all blocks, in milliseconds since 1970.
    init(
        answers: Int, blocksPerAnswer: Int = blocksPerAnswer, oursEvery: Int = oursEvery, watched: WatchedScripts,
        time: UInt64
    ) {
        var maker = Maker(time: time, watched: watched, blocksPerAnswer: blocksPerAnswer)
        let perAnswer = blocksPerAnswer * Self.transactionsPerBlock
        transactionCount = answers * perAnswer
        let mix = PayloadMix(count: transactionCount, oursEvery: oursEvery, seed: 11)
        oursCount = mix.operationCount
        responses = (0..<answers).map { answer in
            maker.response(number: answer, mix.payloads[(answer * perAnswer)..<((answer + 1) * perAnswer)])
        }
    }
}

extension ChainAnswers {
    /// Who sends the transaction at `index`, counted over all answers.
    static func sender(of index: Int) -> Address { WatchPopulation.address(UInt64(index + 1) | 1 << 50) }
}

private struct Maker {
    let time: UInt64
    let watched: WatchedScripts
    let blocksPerAnswer: Int
    var random = SplitMix64(seed: 12)
    var transactions = 0

    mutating func response(number: Int, _ payloads: ArraySlice<[UInt8]>) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.number(101, UInt64(number) + 1)
        writer.message(1115) { answer in
            let hashes = (0..<blocksPerAnswer).map { _ in random.hexadecimal(64) }
            for hash in hashes { answer.text(2, hash) }
            var rest = payloads
            for (index, hash) in hashes.enumerated() {
                let own = rest.prefix(ChainAnswers.transactionsPerBlock)
                rest = rest.dropFirst(ChainAnswers.transactionsPerBlock)
                let score = UInt64(number * blocksPerAnswer + index + 1)
                answer.message(3) { chainBlock(&$0, hash, score, own) }
            }
        }
        return writer.bytes
    }

    private mutating func chainBlock(
        _ writer: inout ProtobufWriter, _ hash: [UInt8], _ score: UInt64, _ payloads: ArraySlice<[UInt8]>
    ) {
        writer.message(2) { header in
            header.text(2, hash)
            header.number(3, 1)
            header.message(4) { parents in
                for _ in 0..<5 { parents.text(1, random.hexadecimal(64)) }
                parents.number(2, 250)
            }
            for field: UInt64 in 5...7 { header.text(field, random.hexadecimal(64)) }
            header.number(8, time)
            header.number(9, 0x1d00_ffff)
            header.number(10, random.next())
            header.number(11, score)
            header.text(12, random.hexadecimal(20))
            header.number(13, score)
            header.text(14, random.hexadecimal(64))
        }
        for payload in payloads { writer.message(3) { transaction(&$0, payload, in: hash) } }
    }

    private mutating func transaction(_ writer: inout ProtobufWriter, _ payload: [UInt8], in block: [UInt8]) {
        let sender = ChainAnswers.sender(of: transactions)
        transactions += 1
        writer.number(2, 0)
        for _ in 0...(transactions & 1) { writer.message(3) { input(&$0, sender) } }
        let isWatched = transactions.isMultiple(of: ChainAnswers.watchedEvery)
        writer.message(4) {
            output(&$0, isWatched ? watched.address(transactions) : WatchPopulation.address(random.next() | 1 << 63))
        }
        writer.message(4) { output(&$0, sender) }
        writer.number(5, 0)
        writer.text(6, [UInt8](repeating: 0x30, count: 40))
        writer.number(7, 0)
        writer.text(8, Array(Hex.encode(payload).utf8))
        writer.number(9, 2036)
        writer.message(10) { verbose in
            verbose.text(2, random.hexadecimal(64))
            verbose.text(3, random.hexadecimal(64))
            verbose.number(4, 2036)
            verbose.text(5, block)
            verbose.number(6, time)
        }
    }

    private mutating func input(_ writer: inout ProtobufWriter, _ sender: Address) {
        writer.message(2) { outpoint in
            outpoint.text(2, random.hexadecimal(64))
            outpoint.number(3, 1)
        }
        writer.text(3, random.hexadecimal(132))
        writer.number(4, 0)
        writer.number(5, 1)
        writer.message(6) { verbose in
            verbose.message(2) { entry in
                entry.number(2, 123_456_789)
                script(&entry, sender)
                entry.number(5, 0)
                address(&entry, 6, sender)
            }
        }
    }

    private func output(_ writer: inout ProtobufWriter, _ receiver: Address) {
        writer.number(2, 123_400_000)
        script(&writer, receiver)
        address(&writer, 4, receiver)
    }

    private func script(_ writer: inout ProtobufWriter, _ address: Address) {
        writer.message(3) { script in
            script.number(1, 0)
            script.text(2, Array(Hex.encode(Script(paying: address).bytes).utf8))
        }
    }

    private func address(_ writer: inout ProtobufWriter, _ field: UInt64, _ address: Address) {
        writer.message(field) { verbose in
            verbose.text(2, Array("pubkey".utf8))
            verbose.text(3, Array(address.description.utf8))
        }
    }
}
