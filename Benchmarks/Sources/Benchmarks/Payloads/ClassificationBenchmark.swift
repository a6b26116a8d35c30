import KasiaProtocol

/// How fast payloads are told apart: nearly all of them are not ours.
struct ClassificationBenchmark: Benchmark {
    static let name = "classification"
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() throws -> [Row] {
        // Strangers' payloads end at their first byte, so that is their yardstick; ours are read.
        try rows("classify, 1 % ours", PayloadMix(count: scale.payloads, oursEvery: 100, seed: 1), endsEarly: true)
            + rows(
                "classify, all ours", PayloadMix(count: scale.payloads / 10, oursEvery: 1, seed: 2), endsEarly: false)
    }

    private func rows(_ what: String, _ mix: PayloadMix, endsEarly: Bool) throws -> [Row] {
        guard Self.classifyAll(mix.payloads) == mix.operationCount else {
            throw BenchmarkError("The grammar does not accept the benchmark's own payloads.")
        }
        let passes = 10
        let count = Double(passes * mix.payloads.count)
        let megabytes = Double(passes * mix.byteCount) / 1e6
        var sink = 0
        func seconds(_ pass: ([[UInt8]]) -> Int) -> Double {
            Measure.seconds { for _ in 0..<passes { sink &+= pass(mix.payloads) } }
        }
        let first = Measure.inTurns(
            scale.repetitions, { seconds(Self.classifyAll) }, { seconds(Self.firstBytes) })
        let bytes = Measure.inTurns(
            scale.repetitions, { seconds(Self.classifyAll) }, { seconds(Self.sumOfBytes) })
        withExtendedLifetime(sink) {}
        return [
            Row(
                what, first.ours.map { count / $0 }, "payloads/s",
                yardstick: endsEarly
                    ? Row.Yardstick(name: "look at the first byte only", samples: first.yardstick.map { count / $0 })
                    : nil),
            Row(
                what, bytes.ours.map { megabytes / $0 }, "MB/s", against: "add up all bytes",
                bytes.yardstick.map { megabytes / $0 }),
        ]
    }

    // Not inlined, so that no pass can be optimised with knowledge of its caller.

    @inline(never)
    private static func classifyAll(_ payloads: [[UInt8]]) -> Int {
        var operations = 0
        for payload in payloads {
            if case .operation = PayloadGrammar.classify(payload) { operations += 1 }
        }
        return operations
    }

    @inline(never)
    private static func firstBytes(_ payloads: [[UInt8]]) -> Int {
        var candidates = 0
        for payload in payloads where payload.first == 0x63 || payload.first == 0x6b { candidates += 1 }
        return candidates
    }

    @inline(never)
    private static func sumOfBytes(_ payloads: [[UInt8]]) -> Int {
        var sum = 0
        for payload in payloads {
            for byte in payload { sum &+= Int(byte) }
        }
        return sum
    }
}
