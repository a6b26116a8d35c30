import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Kaspa
import KaspaNode

/// Reads a node's virtual chain over gRPC, and does nothing with it.
struct NodeReader {
    /// All answers from one block to the tip.
    struct Chain {
        /// What each was asked from, in order, and the tip.
        var starts: [BlockHash] = []
        /// How many transactions are accepted up to the DAA score of each answer's last block.
        var progress: [(daaScore: UInt64, transactions: Int)] = []
        var bytes = 0

        var transactions: Int { progress.last?.transactions ?? 0 }

        /// The transactions of the answers that end at this DAA score or below.
        func transactions(upTo daaScore: Double) -> Int {
            progress.last { Double($0.daaScore) <= daaScore }?.transactions ?? 0
        }
    }

    private static let longestMessage = 1 << 30

    let port: UInt16

    /// Asks from `start` on until nothing is added any more, with every answer decoded.
    func chain(from start: BlockHash) async throws -> Chain {
        try await exchange(Copied(), first: start, Chain(starts: [start])) { chain, answer in
            let response = try answer.withUnsafeBytes { try WireReading.whole.read($0) }
            guard let update = try response.virtualChainUpdate() else { throw BenchmarkError("Not an answer.") }
            guard let last = update.added.last?.header else { return nil }
            chain.progress.append((last.daaScore, chain.transactions + update.transactionCount))
            chain.bytes += answer.count
            chain.starts.append(last.hash)
            return last.hash
        }
    }

    /// Asks for the same answers again and drops them where they arrive; the seconds that took.
    func drop(_ chain: Chain) async throws -> Double {
        guard chain.starts.count > 1 else { throw BenchmarkError("There is nothing to read.") }
        return try await Measure.seconds {
            let first = chain.starts[0]
            let dropped = try await exchange(Dropped(), first: first, (answers: 0, bytes: 0)) { dropped, size in
                dropped.answers += 1
                dropped.bytes += size
                return dropped.answers < chain.starts.count - 1 ? chain.starts[dropped.answers] : nil
            }
            guard dropped.bytes == chain.bytes else {
                throw BenchmarkError("\(dropped.bytes) bytes instead of \(chain.bytes).")
            }
        }
    }

    /// Asks for what follows `first`; `step` takes each answer and says what to ask for next, nil to end.
    private func exchange<Reader: MessageDeserializer, State: Sendable>(
        _ reader: Reader, first: BlockHash, _ initial: State,
        _ step: @escaping @Sendable (inout State, Reader.Message) throws -> BlockHash?
    ) async throws -> State where Reader.Message: Sendable {
        let transport = try HTTP2ClientTransport.Posix(
            target: .ipv4(address: "127.0.0.1", port: Int(port)), transportSecurity: .plaintext,
            config: .defaults { $0.http2.targetWindowSize = 16 << 20 })
        let client = GRPCClient(transport: transport)
        let (questions, ask) = AsyncStream.makeStream(of: [UInt8].self)
        var options = CallOptions.defaults
        options.maxRequestMessageBytes = Self.longestMessage
        options.maxResponseMessageBytes = Self.longestMessage
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.runConnections() }
            defer { group.cancelAll() }
            return try await client.bidirectionalStreaming(
                request: StreamingClientRequest { writer in
                    for await question in questions { try await writer.write(question) }
                },
                descriptor: MethodDescriptor(fullyQualifiedService: "protowire.RPC", method: "MessageStream"),
                serializer: Plain(), deserializer: reader, options: options
            ) { response in
                defer { ask.finish() }
                var state = initial
                ask.yield(Self.question(first))
                for try await answer in response.messages {
                    guard let next = try step(&state, answer) else { return state }
                    ask.yield(Self.question(next))
                }
                throw BenchmarkError("The node hangs up.")
            }
        }
    }

    /// A `KaspadRequest` with a GetVirtualChainFromBlockV2 at verbosity HIGH.
    private static func question(_ start: BlockHash) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.number(101, 1)
        writer.message(1114) {
            $0.text(1, Array(start.description.utf8))
            $0.number(2, 2)
        }
        return writer.bytes
    }
}

private struct Plain: MessageSerializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes { Bytes(message) }
}

private struct Copied: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }
}

/// Only how long it was.
private struct Dropped: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> Int { bytes.withUnsafeBytes { $0.count } }
}
