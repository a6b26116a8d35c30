import TestRandom
import Testing

@testable import WebPush

@Suite("Origin table")
struct OriginTableTests {
    private let table = Table()

    @Test("has so many origins and no more while all are busy")
    func bound() {
        #expect(table.take("a") == "a" && table.take("b") == "b" && table.take("a") == "a")
        #expect(table.take("c") == "full -")
        #expect(table.end("a"))
        #expect(table.take("c") == "full -")
        #expect(table.end("a"))
        #expect(table.take("c") == "full a")
        // The place is free when the other has stopped.
        #expect(table.count == 2)
        #expect(table.take("c") == "full -")
        table.stopped()
        #expect(table.take("c") == "c")
        #expect(table.take("b") == "b")
    }

    @Test("gives up what was used longest ago, and what is held back last")
    func leastUsed() {
        #expect(table.take("a", at: 1) == "a" && table.take("b", at: 2) == "b")
        table.refuse("a", at: 3)
        #expect(table.end("b", at: 4))
        #expect(table.take("c", at: 5) == "full b")
        table.stopped()
        #expect(table.take("c", at: 6) == "c")
        #expect(table.heldBack == ["a"])
        #expect(table.take("a", at: 6) == "held 4997")
        #expect(table.take("a", at: 5_003) == "probe a")
    }

    @Test("forgets what was not used for ten minutes, and nothing that is on its way")
    func idle() {
        #expect(table.take("a", at: 0) == "a" && table.take("b", at: 0) == "b")
        #expect(table.end("a", at: 1_000))
        #expect(table.takeIdle(at: 600_999) == [])
        #expect(table.takeIdle(at: 601_000) == ["a"])
        #expect(table.takeIdle(at: 9_999_999) == [])
        #expect(table.count == 2)
        table.stopped()
        #expect(table.count == 1)
    }

    @Test("takes nothing after its end")
    func closed() {
        #expect(table.take("a") == "a" && table.take("b") == "b")
        #expect(table.close().sorted() == ["a", "b"])
        #expect(table.take("a") == "closed" && table.take("c") == "closed")
        #expect(!table.end("a", at: 1))
        #expect(table.close().isEmpty)
    }

    @Test("never has more than its bound, over random histories")
    func random() {
        var random = SeededRandom()
        var inFlight: [String] = []
        var stopping = 0
        for now in 0..<20_000 as Range<UInt64> {
            let origin = "o\(Int.random(in: 0..<6, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                switch table.take(origin, at: now) {
                case origin: inFlight.append(origin)
                case "full -": break
                default: stopping += 1
                }
            case 2:
                guard let index = inFlight.indices.randomElement(using: &random) else { continue }
                let ended = inFlight.remove(at: index)
                #expect(table.end(ended, at: now), "seed \(random.seed)")
            default:
                guard stopping > 0 else { continue }
                stopping -= 1
                table.stopped()
            }
            #expect(table.count <= 2, "seed \(random.seed)")
        }
    }
}

/// A table by reference, for expectations.
private final class Table {
    private var table = OriginTable<String>(maximumOrigins: 2)

    var count: Int { table.count }
    var heldBack: [String] { table.heldBack }

    /// A place in one word.
    func take(_ origin: String, at now: UInt64 = 0) -> String {
        switch table.take(origin, at: now, make: { origin }) {
        case .send(let sender, let isProbe): isProbe ? "probe \(sender)" : sender
        case .held(let pause): "held \(pause)"
        case .full(let idle): "full \(idle ?? "-")"
        case .closed: "closed"
        }
    }

    /// Whether the origin was known.
    func end(_ origin: String, at now: UInt64 = 0) -> Bool {
        table.ended(origin, at: now) {
            $0.ended(isProbe: false)
            return true
        } ?? false
    }

    func refuse(_ origin: String, at now: UInt64) {
        _ = table.ended(origin, at: now) { $0.refused(sentAt: now - 1, isProbe: false, at: now) }
    }

    func takeIdle(at now: UInt64) -> [String] { table.takeIdle(at: now) }

    func stopped() { table.stopped() }

    func close() -> [String] { table.close() }
}
