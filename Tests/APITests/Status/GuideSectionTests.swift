import Foundation
import Testing

@testable import API

@Suite("Links to the operator guide")
struct GuideSectionTests {
    private static func part(_ name: String, _ state: String, follows: Bool = false) -> Readiness.Part {
        let node = Readiness.Node(url: "http://127.0.0.1:16110", state: follows ? "followed" : "left", reason: nil)
        return Readiness.Part(name: name, isReady: false, state: state, nodes: name == "node" ? [node] : [])
    }

    @Test(
        "every section is a heading of the guide, and each of the guide's alerts and troubles has an anchor of its own")
    func anchors() {
        let anchors = GuidePage.markdown.headings.map(\.anchor)
        #expect(Set(anchors).count == anchors.count)
        for section in GuideSection.allCases { #expect(anchors.contains(section.rawValue), "\(section.rawValue)") }
    }

    @Test(
        "a trouble leads to the section about it",
        arguments: [
            ("node", "no connection has been tried yet", .nodeUntried),
            ("node", "http://127.0.0.1:9: connection refused", .nodeUnreachable),
            ("node", "http://127.0.0.1:9: no answer within 10 seconds", .nodeUnreachable),
            ("node", "http://a:1: the node is on testnet-10, not on mainnet", .nodeOfAnotherNetwork),
            ("node", "http://a:1: the node is not synced yet", .nodeNotSynced),
            ("node", "not connected", .nodeUnreachable),
            (
                "chain",
                "catching up: 900 DAA scores behind; messages accepted between DAA scores 1 and 2 may be missing",
                .chainGap
            ),
            ("chain", "catching up: 900 DAA scores behind, 300 a second, about 3 s left", .chainBehind),
            ("chain", "waiting until the dispatcher has taken queued events", .queueDeep),
            ("chain", "something new", .notReady),
            ("store", "less than 268435456 bytes are free on the disk of /data (store.min_free_space)", .diskFull),
            ("store", "nothing is written any more since this failed: IO error", .store),
            ("apns", "not configured", .pushesNotConfigured),
            (
                "apns", "Apple refuses the credentials or the topic: InvalidProviderToken; next try in 5 s",
                .pushesRefused
            ),
            ("apns", "Apple throttles the provider token; trying now", .pushesThrottled),
            ("apns", "Apple calls the provider token expired: this machine's clock may be wrong", .tokenExpired),
            ("apns", "no provider token can be made: the key is none", .noToken),
            ("apns", "A stored row is damaged", .pushes),
            ("clock", "this machine's clock is 2 days ahead of the chain's time", .clock),
            ("another", "broken", .notReady),
        ] as [(String, String, GuideSection)])
    func parts(name: String, state: String, section: GuideSection) {
        #expect(GuideSection.of(Self.part(name, state)) == section)
    }

    @Test("a followed node with a trouble does not tell the chain")
    func followed() {
        #expect(GuideSection.of(Self.part("node", "cannot find header", follows: true)) == .nodeWithoutChain)
    }

    @Test("a part that is ok leads nowhere", arguments: ["node", "chain", "store", "apns", "clock", "another"])
    func fine(name: String) {
        #expect(GuideSection.of(Readiness.Part(name: name, isReady: true, state: "ok")) == nil)
    }

    @Test("an event of the log leads to its section, or nowhere")
    func events() {
        #expect(GuideSection.of(event: "indexer.chain.gap") == .chainGap)
        #expect(GuideSection.of(event: "push.delivery.dead") == .givenUp)
        #expect(GuideSection.of(event: EventFilter.withheld) == nil && GuideSection.of(event: "") == nil)
    }

    @Test("every event that has a section is one that the code logs, and the page shows its words")
    func knownEvents() throws {
        let root = (1...4).reduce(URL(filePath: #filePath)) { file, _ in file.deletingLastPathComponent() }
        let sources = root.appendingPathComponent("Sources")
        var code = ""
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        where file.pathExtension == "swift" && file.lastPathComponent != "GuideSection.swift" {
            code += try String(contentsOf: file, encoding: .utf8)
        }
        for event in GuideSection.events.keys {
            #expect(code.contains("\"\(event)\""), "\(event)")
            #expect(EventFilter.message(event) == event)
        }
    }
}
