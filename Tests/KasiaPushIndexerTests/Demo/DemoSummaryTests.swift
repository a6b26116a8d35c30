import Testing

@testable import KasiaPushIndexer

@Suite("The demo's numbers")
struct DemoSummaryTests {
    private static func metrics(queued: Int = 0, dead: Int = 1) -> String {
        """
        # HELP kasia_push_events_total By kind.
        # TYPE kasia_push_events_total counter
        kasia_push_events_total{kind="contextual_message"} 27
        kasia_push_events_total{kind="payment"} 20
        kasia_push_events_total{kind="handshake"} 1
        kasia_push_events_total{kind="group_message"} 5
        kasia_reorganizations_total 148
        kasia_virtual_chain_daa_score 253
        kasia_push_books{book="events",state="created"} \(40 + queued)
        kasia_push_books{book="events",state="queued"} \(queued)
        kasia_push_books{book="events",state="fanned_out"} 40
        kasia_push_books{book="deliveries",state="created"} 63
        kasia_push_books{book="deliveries",state="queued"} 0
        kasia_push_books{book="deliveries",state="delivered"} 62
        kasia_push_books{book="deliveries",state="dead"} \(dead)
        kasia_push_books{book="deliveries",state="expired"} 0
        kasia_push_books{book="deliveries",state="suppressed"} 0
        kasia_push_books_by_reason{state="dead",reason="expired_token"} 1
        nonsense
        """
    }

    private static func summary(_ figures: DemoFigures?, pushes: [DemoPush] = []) -> DemoSummary {
        var tally = DemoTally()
        for push in pushes { tally.add(push) }
        return DemoSummary(devices: DemoDevice.cast(), tally: tally, figures: figures, seconds: 67)
    }

    @Test("are read from the indexer's metrics")
    func figures() {
        let figures = DemoFigures(metrics: Self.metrics())
        #expect((figures.score, figures.delivered, figures.waiting) == (253, 62, 0))
        #expect(figures.balance)
        #expect(figures.chain == "27 messages, 20 payments, 1 contact request and 5 others; 148 reorganisations")
        #expect(figures.deliveries == "63 made = 62 delivered + 1 dead (1 expired_token)")
        #expect(DemoFigures(metrics: Self.metrics(queued: 2)).waiting == 2)
        #expect(!DemoFigures(metrics: Self.metrics(dead: 0)).balance)
        #expect(DemoFigures(metrics: "").waiting == 0)
    }

    @Test("say what arrived, what happened on the chain, what waits, and whether the books balance")
    func numbers() throws {
        let phones = DemoDevice.cast()
        let transaction = DemoPushTests.transaction("payment")
        let push = try #require(
            DemoPush(line: DemoPushTests.line(#"{"type":"payment","tx_id":"\#(transaction)"}"#, token: phones[0].token))
        )
        var tally = DemoTally()
        tally.add(push)
        let summary = DemoSummary(
            devices: phones, tally: tally, figures: DemoFigures(metrics: Self.metrics(queued: 1)), seconds: 67)
        #expect(
            summary.numbers == """
                What happened in 67 s
                  pushes    1 push arrived (Apple 1, Google 0, Web Push 0), 0 refused
                    Alice's iPhone  1: 0 messages, 1 payment, 0 contact requests
                    Bob's iPhone  0: 0 messages, 0 payments, 0 contact requests
                    Carol's iPhone  0: 0 messages, 0 payments, 0 contact requests
                  chain     27 messages, 20 payments, 1 contact request and 5 others; 148 reorganisations
                  waiting   1
                  books     balance: deliveries 63 made = 62 delivered + 1 dead (1 expired_token)
                """)
        #expect(summary.next(port: 80).contains("curl 'http://127.0.0.1:80/v1/messages/\(transaction)'"))
    }

    @Test("say that the books do not balance, and that the indexer is silent")
    func troubles() {
        #expect(Self.summary(DemoFigures(metrics: Self.metrics(dead: 0))).numbers.contains("DO NOT BALANCE"))
        #expect(Self.summary(nil).numbers.hasSuffix("The indexer does not answer."))
    }

    @Test("lead on to three commands with values of this demo, also without a push")
    func commands() {
        let summary = Self.summary(nil)
        let commands = summary.next(port: 8080).split(separator: "\n").filter { $0.hasPrefix("  curl ") }
        #expect(commands.count == 3)
        #expect(commands[1].contains("/v1/push/missed?device_token=\(summary.devices[0].token)'"))
    }
}
