import Kaspa
import KaspaNode
import Recordings
import ReplaySupport
import SwiftProtobuf
import Testing

@testable import KaspadReplay

@Suite struct ReplayChainTests {
    private typealias Script = RecordingScript

    private static func fold(_ recording: Recording, entries: Int? = nil) throws -> ReplayChain {
        var chain = try ReplayChain(recording.header)
        for entry in recording.entries.prefix(entries ?? .max) { try chain.apply(entry) }
        return chain
    }

    private static func request(
        _ start: UInt64, minConfirmationCount: UInt64 = 0
    ) -> Protowire_GetVirtualChainFromBlockV2RequestMessage {
        .with {
            $0.startHash = Script.hash(start).description
            $0.dataVerbosityLevel = .high
            $0.minConfirmationCount = minConfirmationCount
        }
    }

    private static func hashes(_ numbers: [UInt64]) -> [String] {
        numbers.map { Script.hash($0).description }
    }

    /// 0-1-2-3, then 3 and 2 are replaced by 12-13-14.
    private static func reorganised() -> Recording {
        var script = Script()
        script.extend(from: 1, count: 3)
        script.tell(12, on: 1)
        script.tell(13, on: 12)
        script.tell(14, on: 13)
        script.change(removing: 2, adding: [12, 13, 14])
        return script.recording
    }

    @Test("From the start all chain blocks are added, low to high, with their headers")
    func fromStart() throws {
        let answer = try Self.fold(Self.reorganised()).virtualChain(Self.request(0), batch: 10)
        #expect(answer.removedChainBlockHashes.isEmpty)
        #expect(answer.addedChainBlockHashes == Self.hashes([1, 12, 13, 14]))
        #expect(answer.chainBlockAcceptedTransactions.map(\.chainBlockHeader.hash) == answer.addedChainBlockHashes)
        #expect(answer.chainBlockAcceptedTransactions.map(\.chainBlockHeader.blueScore) == [1, 2, 3, 4])
    }

    @Test("From a removed block the removed ones come high to low, then what was added", arguments: [1, 2, 10])
    func acrossReorganisation(batch: Int) throws {
        let chain = try Self.fold(Self.reorganised())
        let answer = try chain.virtualChain(Self.request(3), batch: batch)
        #expect(answer.removedChainBlockHashes == Self.hashes([3, 2]))
        #expect(answer.addedChainBlockHashes == Array(Self.hashes([12, 13, 14]).prefix(batch)))
    }

    @Test(
        "Asked again from the last added block, batches of any size give the whole chain",
        arguments: [1, 2, 3, 10, 1000])
    func batches(batch: Int) throws {
        var script = Script()
        script.extend(from: 1, count: 25)
        let chain = try Self.fold(script.recording)
        var cursor = Self.request(0)
        var added: [String] = []
        while true {
            let answer = try chain.virtualChain(cursor, batch: batch)
            #expect(answer.addedChainBlockHashes.count <= batch)
            guard let last = answer.addedChainBlockHashes.last else { break }
            added += answer.addedChainBlockHashes
            cursor.startHash = last
        }
        #expect(added == script.chainHashes.map(\.description))
    }

    @Test("From the sink nothing is told")
    func fromSink() throws {
        let answer = try Self.fold(Self.reorganised()).virtualChain(Self.request(14), batch: 10)
        #expect(answer == .init())
    }

    @Test("A block that was removed, added again and removed again is found")
    func backAndForth() throws {
        var script = Script()
        script.extend(from: 1, count: 2)
        script.tell(12, on: 1)
        script.change(removing: 1, adding: [12])
        script.change(removing: 1, adding: [2])
        script.tell(13, on: 12)
        script.change(removing: 1, adding: [12, 13])
        let chain = try Self.fold(script.recording)
        let answer = try chain.virtualChain(Self.request(2), batch: 10)
        #expect(answer.removedChainBlockHashes == Self.hashes([2]))
        #expect(answer.addedChainBlockHashes == Self.hashes([12, 13]))
    }

    @Test("A block that never was on the chain is followed down its selected parents")
    func neverOnChain() throws {
        var script = Script()
        script.extend(from: 1, count: 2)
        script.tell(12, on: 1)
        script.tell(13, on: 12)
        let answer = try Self.fold(script.recording).virtualChain(Self.request(13), batch: 10)
        #expect(answer.removedChainBlockHashes == Self.hashes([13, 12]))
        #expect(answer.addedChainBlockHashes == Self.hashes([2]))
    }

    @Test("An unknown start is refused with the node's words")
    func unknownStart() throws {
        let chain = try Self.fold(Self.reorganised())
        #expect(throws: ReplayRefusal.unknown(Script.hash(99).description)) {
            try chain.virtualChain(Self.request(99), batch: 10)
        }
        #expect(throws: ReplayRefusal.self) { try chain.virtualChain(.with { $0.startHash = "abc" }, batch: 10) }
        // Told later.
        #expect(throws: ReplayRefusal.self) {
            try Self.fold(Self.reorganised(), entries: 2).virtualChain(Self.request(2), batch: 10)
        }
    }

    @Test("After pruning only what is not below the pruning point is known")
    func pruning() throws {
        var chain = try Self.fold(Self.reorganised())
        let pruned = [3, 13].map { chain.prune(below: Script.hash($0)) }
        #expect(pruned == [false, true])
        #expect(chain.dagInfo(networkID: "mainnet").pruningPointHash == Script.hash(13).description)
        for gone in [0, 1, 2, 12] as [UInt64] {
            #expect(throws: ReplayRefusal.unknown(Script.hash(gone).description)) {
                try chain.virtualChain(Self.request(gone), batch: 10)
            }
        }
        #expect(try chain.virtualChain(Self.request(13), batch: 10).addedChainBlockHashes == Self.hashes([14]))
        // Block 3 is as high as the pruning point, but its chain leads below it.
        #expect { try chain.virtualChain(Self.request(3), batch: 10) } throws: {
            ($0 as? ReplayRefusal)?.message.contains("does not have retention root on its chain") == true
        }
    }

    @Test(
        "A confirmation count leaves out blocks not more than so many blue scores below the sink",
        arguments: [(0, 3), (1, 1), (2, 0), (3, 0)] as [(UInt64, Int)])
    func confirmations(count: UInt64, expected: Int) throws {
        let answer = try Self.fold(Self.reorganised()).virtualChain(
            Self.request(3, minConfirmationCount: count), batch: 10)
        #expect(answer.addedChainBlockHashes.count == expected)
        #expect(answer.removedChainBlockHashes.count == 2)
        #expect(answer.chainBlockAcceptedTransactions.count == expected)
    }

    @Test("Below verbosity HIGH only hashes are told")
    func lowVerbosity() throws {
        var request = Self.request(0)
        request.clearDataVerbosityLevel()
        let answer = try Self.fold(Self.reorganised()).virtualChain(request, batch: 1)
        #expect(
            answer.chainBlockAcceptedTransactions == [.with { $0.chainBlockHeader.hash = Script.hash(1).description }])
    }

    @Test("The outline names the network with its prefix, the tips and the sink")
    func outline() throws {
        let info = try Self.fold(Self.reorganised()).dagInfo(networkID: "mainnet")
        #expect(info.networkName == "kaspa-mainnet")
        #expect(info.blockCount == 6)
        #expect(info.tipHashes == Self.hashes([3, 14]).sorted())
        #expect(info.sink == Script.hash(14).description)
        #expect(info.pruningPointHash == Script.hash(0).description)
        #expect(info.virtualDaaScore == 4)
    }

    @Test("Blocks are answered with or without transactions, and whether they are on the chain now")
    func blocks() throws {
        var script = Script()
        script.tell(1, on: 0, transactions: [Script.transaction(100)])
        script.change(adding: [1])
        script.tell(2, on: 0)
        let chain = try Self.fold(script.recording)
        func block(_ number: UInt64, _ transactions: Bool) throws -> Protowire_RpcBlock {
            try chain.block(
                .with {
                    $0.hash = Script.hash(number).description; $0.includeTransactions = transactions
                })
        }
        #expect(try block(1, true).transactions.count == 1)
        #expect(try block(1, false).transactions.isEmpty)
        #expect(try block(1, false).verboseData.isChainBlock)
        #expect(try block(2, false).verboseData.isChainBlock == false)
        #expect(throws: ReplayRefusal.self) { try block(3, false) }
        let all = try chain.blocks(.with { $0.includeBlocks = true })
        #expect(all.blockHashes == Self.hashes([1, 2]))
        #expect(all.blocks.count == 2)
        #expect(try chain.blocks(.with { $0.lowHash = Script.hash(2).description }).blockHashes == Self.hashes([2]))
        #expect(throws: ReplayRefusal.self) { try chain.blocks(.with { $0.lowHash = Script.hash(9).description }) }
    }

    @Test("The return address is the first spent output's, told with the input or found in the recording")
    func returnAddress() throws {
        let script = Kaspa.Script(bytes: [0x20] + [UInt8](repeating: 7, count: 32) + [0xac])
        let address = try #require(script.address(on: .mainnet)).description
        var recording = Script()
        recording.tell(1, on: 0, transactions: [Script.transaction(100, to: [(script, 5)])])
        recording.tell(
            2, on: 1,
            transactions: [
                Script.transaction(101, spending: 99, from: script), Script.transaction(102, spending: 100),
                Script.transaction(103, spending: 98), Script.transaction(104),
            ])
        recording.change(adding: [1, 2])
        let chain = try Self.fold(recording.recording)
        func answer(_ transaction: UInt64, _ score: UInt64) throws -> String {
            try chain.returnAddress(
                .with {
                    $0.txid = Script.hash(transaction).description; $0.acceptingBlockDaaScore = score
                }, on: .mainnet)
        }
        #expect(try answer(101, 2) == address)
        #expect(try answer(102, 2) == address)
        for (transaction, score) in [(103, 2), (104, 2), (101, 1), (999, 2)] as [(UInt64, UInt64)] {
            #expect(throws: ReplayRefusal.self) { try answer(transaction, score) }
        }
    }

    @Test("A change that no chain makes is inconsistent and changes nothing", arguments: 0..<5)
    func inconsistent(fault: Int) throws {
        var chain = try Self.fold(Self.reorganised())
        func added(_ numbers: [UInt64]) -> [Protowire_RpcChainBlockAcceptedTransactions] {
            Self.hashes(numbers).map { hash in .with { $0.chainBlockHeader.hash = hash } }
        }
        let change: Recording_VirtualChainChange = .with {
            switch fault {
            case 0: $0.removedChainBlockHashes = Self.hashes([13])
            case 1: $0.removedChainBlockHashes = Self.hashes([13, 14])
            case 2: $0.removedChainBlockHashes = Self.hashes([14, 13, 12, 1, 0])
            case 3: $0.added = added([12])
            default: $0.added = added([20, 20])
            }
        }
        #expect { try chain.apply(.with { $0.virtualChain = change }) } throws: {
            ($0 as? RecordingError)?.code == .inconsistent
        }
        #expect(
            try chain.virtualChain(Self.request(0), batch: 10).addedChainBlockHashes == Self.hashes([1, 12, 13, 14]))
    }

    @Test("Hashes that are none are malformed", arguments: 0..<3)
    func malformed(place: Int) throws {
        var chain = try Self.fold(Self.reorganised())
        let entry: Recording_RecordingEntry = .with {
            switch place {
            case 0: $0.block.header.hash = "zz"
            case 1: $0.virtualChain.removedChainBlockHashes = ["zz"]
            default: $0.virtualChain.added = [.init()]
            }
        }
        #expect { try chain.apply(entry) } throws: { ($0 as? RecordingError)?.code == .malformed }
    }

    @Test("The call before V2 tells the same path, with the accepted ids on request", arguments: [false, true], 1...3)
    func firstVersion(includingIDs: Bool, batch: Int) throws {
        var script = Script()
        script.tell(1, on: 0, transactions: [Script.transaction(100), Script.transaction(101)])
        script.change(adding: [1])
        script.extend(from: 2, count: 2)
        script.tell(12, on: 1, transactions: [Script.transaction(102)])
        script.tell(13, on: 12)
        script.tell(14, on: 13)
        script.change(removing: 2, adding: [12, 13, 14])
        let chain = try Self.fold(script.recording)
        for (start, confirmations) in [(0, 0), (3, 0), (3, 1), (14, 0)] as [(UInt64, UInt64)] {
            let expected = try chain.virtualChain(
                Self.request(start, minConfirmationCount: confirmations), batch: batch)
            let answer = try chain.chainHashes(
                .with {
                    $0.startHash = Script.hash(start).description
                    $0.includeAcceptedTransactionIds = includingIDs
                    $0.minConfirmationCount = confirmations
                }, batch: batch)
            #expect(answer.removedChainBlockHashes == expected.removedChainBlockHashes)
            #expect(answer.addedChainBlockHashes == expected.addedChainBlockHashes)
            let accepted = expected.chainBlockAcceptedTransactions.map { block in
                Protowire_RpcAcceptedTransactionIds.with {
                    $0.acceptingBlockHash = block.chainBlockHeader.hash
                    $0.acceptedTransactionIds = block.acceptedTransactions.map(\.verboseData.transactionID)
                }
            }
            #expect(answer.acceptedTransactionIds == (includingIDs ? accepted : []))
        }
        #expect(throws: ReplayRefusal.unknown("\(Script.hash(99))")) {
            try chain.chainHashes(.with { $0.startHash = Script.hash(99).description }, batch: batch)
        }
    }

    @Test("The fee estimate needs two blocks whose time is known to say how long", arguments: 0...3)
    func feeEstimate(blocks: UInt64) throws {
        var script = Script()
        script.extend(from: 1, count: blocks)
        let estimate = try Self.fold(script.recording).feeEstimate.estimate
        #expect(estimate.priorityBucket.feerate == 1)
        #expect(estimate.priorityBucket.estimatedSeconds == (blocks < 2 ? 0 : 0.2))
    }

    @Test("The same block told twice is one block")
    func toldTwice() throws {
        var recording = Self.reorganised()
        recording.entries.append(recording.entries[0])
        #expect(try Self.fold(recording).dagInfo(networkID: "mainnet").blockCount == 6)
    }
}
