import KasiaProtocol
import Kaspa
import Testing

@Suite("Payload grammar, random inputs")
struct PayloadGrammarRandomTests {
    @Test("a million mutated payloads keep every invariant and agree with the reference", .timeLimit(.minutes(5)))
    func millionInputs() throws {
        let random = SeededRandom()
        var mutator = PayloadMutator(seeds: try PayloadVector.payloads() + MessageVectors.payloads(), random: random)
        var seen: Set<String> = []
        for iteration in 0..<1_000_000 {
            let payload = mutator.next()
            let classification = PayloadGrammar.classify(payload)
            let violation = PayloadInvariants.violation(by: classification, of: payload)
            // The reference takes most of the time, so it judges a part of the inputs only.
            let agrees = iteration % 50 != 0 || ReferenceGrammar.reads(payload, as: classification)
            guard violation == nil, agrees else {
                let why = violation ?? "the reference disagrees"
                Issue.record("seed \(random.seed), input \(iteration), \(why): \(Hex.encode(payload))")
                return
            }
            if iteration % 50 == 0 { seen.insert(outcome(classification)) }
        }
        // Without this the test could pass by never reaching the deeper rules.
        #expect(seen.count == 2 + 4 + OperationKind.allCases.count + 1, "seed \(random.seed): only \(seen.sorted())")
    }

    @Test("every beginning of every vector is classified by the reference's rules")
    func truncations() throws {
        for payload in try PayloadVector.payloads() + MessageVectors.payloads() {
            for count in 0...payload.count {
                let start = Array(payload.prefix(count))
                let classification = PayloadGrammar.classify(start)
                #expect(PayloadInvariants.violation(by: classification, of: start) == nil)
                if count % 8 == 0 || count < 24 { #expect(ReferenceGrammar.reads(start, as: classification)) }
            }
        }
    }

    private func outcome(_ classification: PayloadClassification) -> String {
        switch classification {
        case .notOurs: "none"
        case .unknown: "unknown"
        case .malformed(let kind): "malformed \(kind)"
        case .operation(let operation): operation.inboxTag == nil ? operation.kind.description : "to an inbox"
        }
    }
}
