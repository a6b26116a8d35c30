import APNsSandbox
import Foundation
import KaspadReplay
import Testing

/// The page `/` of the real executable in a real browser.
///
/// Skipped, and said so, where chromium is not installed.
@Suite(
    "The page /", .timeLimit(.minutes(10)),
    .enabled(if: Browser.executable != nil, "chromium is not installed: deploy/install-deps.sh --tests"))
struct StatusPageTests {
    @Test("after the recorded blocks it shows what /metrics says, in light and in dark, and draws the hour")
    func figures() async throws {
        let golden = try Fixture.goldenNotifications()
        try await World.with(
            Fixture.recording(),
            replay: { configuration in
                configuration.movesTimes = true
                let now = ReplayConfiguration.wallClock() + 300_000
                configuration.now = { now }
            }
        ) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            for device in golden.devices { try await indexer.rest.register(device.registration) }
            let origin = "http://127.0.0.1:\(indexer.rest.port)"
            let tab = try await Browser().open()
            try await tab.go(to: origin + "/")
            try await tab.until("document.getElementById('state').textContent.includes('live')")
            await world.replay.advanceToEnd()
            try await eventually("everything expected has been sent") {
                let sent = Set(world.sandbox.notifications.map(\.id))
                return golden.notifications.allSatisfy { sent.contains($0.apnsID) }
            }
            var (shown, expected) = (Figures(), Figures())
            try await eventually("the page shows the figures of /metrics") {
                expected = try await Figures(metrics: indexer.rest)
                shown = try await Figures(page: tab)
                return shown == expected && !shown.deliveries.isEmpty && shown.figures["push.queued"] == 0
            }
            #expect(shown == expected)
            #expect((shown.figures["chain.accepted"] ?? 0) > 0)
            #expect(try await tab.evaluate("document.getElementById('state').textContent") as? String == "ready · live")
            // Two samples in a row make a line.
            try await tab.until("document.querySelector('#plot-lag path.line') !== null")
            for scheme in ["light", "dark"] {
                try await tab.prefer(scheme)
                try await tab.expectReadable()
                try await tab.showAll()
                try await tab.screenshot("status-\(scheme)")
                try await tab.resize(390, 844, isPhone: true)
                try await tab.until("document.documentElement.scrollWidth <= 390")
                try await tab.screenshot("status-\(scheme)-narrow")
            }
            #expect(tab.complaints == [])
            #expect(tab.requests.allSatisfy { $0.hasPrefix(origin + "/") }, "\(tab.requests)")
            try await tab.expectNobodysData(of: golden, at: origin)
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }

    @Test("says when data stops, since when, and goes on by itself when the service is back")
    func cut() async throws {
        try await World.with(Fixture.recording()) { world in
            let (first, port) = try await startOnFixedPort(world)
            let tab = try await Browser().open()
            try await tab.prefer("light")
            try await tab.go(to: "http://127.0.0.1:\(port)/")
            let isLive = "document.getElementById('state').textContent.endsWith('live')"
            let isCut = "document.getElementById('cut').checkVisibility()"
            let sentence = "document.getElementById('cut').textContent"
            try await tab.until(isLive)
            #expect(try await tab.evaluate(isCut) as? Bool == false)

            first.send(SIGSTOP)
            try await tab.until("\(isCut) && /^No data since \\d\\d:\\d\\d:\\d\\d\\. Trying on/.test(\(sentence))")
            try await tab.showAll()
            try await tab.screenshot("status-cut")
            first.send(SIGCONT)
            try await tab.until("\(isLive) && !\(isCut)")

            await first.end(SIGTERM)
            try await tab.until(isCut)
            let second = try await IndexerProcess(
                environment: world.environment.merging(["HTTP_PORT": "\(port)"]) { $1 })
            try await tab.until("\(isLive) && !\(isCut)")
            await second.end(SIGTERM)
        }
    }

    @Test("when the stream is refused it asks for the figures every few seconds")
    func refused() async throws {
        try await IdleIndexer.with { rest in
            let tab = try await Browser().open()
            try await tab.send("Fetch.enable", ["patterns": [["urlPattern": "*/status/stream"]]])
            try await tab.go(to: "http://127.0.0.1:\(rest.port)/")
            var refused: Set<String> = []
            try await eventually("the page shows figures without the stream") {
                for event in tab.browser.events where event["method"] as? String == "Fetch.requestPaused" {
                    let parameters = event["params"] as? [String: Any]
                    guard let id = parameters?["requestId"] as? String, refused.insert(id).inserted else { continue }
                    try await tab.send("Fetch.fulfillRequest", ["requestId": id, "responseCode": 503])
                }
                let state = try await tab.evaluate("document.getElementById('state').textContent") as? String
                return state == "not ready · asked every few seconds"
            }
            // No node answers: the page says so, and the log's warnings stand in the list.
            try await tab.until("document.getElementById('parts').textContent.includes('node')")
            try await tab.until("document.querySelectorAll('#events code').length > 0")
            try await tab.prefer("dark")
            try await tab.expectReadable()
            try await tab.showAll()
            try await tab.screenshot("status-not-ready")
        }
    }

    /// Below the ports that the system gives out by itself, so that the second start finds it free.
    private func startOnFixedPort(_ world: World) async throws -> (IndexerProcess, Int) {
        var failure: (any Error)?
        for _ in 0..<20 {
            let port = Int.random(in: 20_000..<32_000)
            do {
                let environment = world.environment.merging(["HTTP_PORT": "\(port)"]) { $1 }
                return (try await IndexerProcess(environment: environment), port)
            } catch {
                failure = error
            }
        }
        throw try #require(failure)
    }
}

/// What both the page and the metrics tell.
private struct Figures: Equatable {
    /// By the page's name.
    var figures: [String: Double] = [:]
    /// `OUTCOME REASON COUNT`, sorted.
    var deliveries: [String] = []

    private static let metrics = [
        "devices.registered": "devices", "devices.watch_entries": "watch_entries",
        "push.dead_letters": "push_dead_letters", "chain.blocks": "blocks_total",
        "chain.accepted": "transactions_accepted_total", "chain.reverted": "transactions_reverted_total",
        "chain.reorganizations": "reorganizations_total", "chain.gaps": "gaps_total",
        "chain.daa_score": "virtual_chain_daa_score", "process.file_limit": "process_max_fds",
    ]

    init() {}

    init(metrics rest: RESTClient) async throws {
        let answer = try await rest.send("GET", "/metrics")
        let object = try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        func series(_ name: String) -> [(labels: [String: String], value: Double)] {
            (object[name] as? [[String: Any]] ?? []).compactMap { entry in
                guard let labels = entry["labels"] as? [String: String], let value = entry["value"] as? Double else {
                    return nil
                }
                return (labels, value)
            }
        }
        for (figure, name) in Figures.metrics { figures[figure] = object[name] as? Double ?? 0 }
        for (labels, value) in series("push_queue_depth") { figures["push.\(labels["state"] ?? "")"] = value }
        figures["store.bytes"] = series("store_bytes").reduce(0) { $0 + $1.value }
        deliveries = series("push_deliveries_total").map { labels, value in
            "\(labels["outcome"] ?? "") \(labels["reason"] ?? "") \(Int(value))"
        }.sorted()
    }

    /// As they are drawn, but for sizes, which are rounded there.
    init(page tab: BrowserTab) async throws {
        let names = Array(Figures.metrics.keys) + ["push.queued", "push.in_flight"]
        let drawn = try await tab.strings(
            """
            \(names).map(name => document.querySelector(`[data-figure="${name}"]`).textContent.replaceAll(",", ""))
            """)
        for (name, text) in zip(names, drawn) { figures[name] = Double(text) ?? (text == "–" ? 0 : nil) }
        let bytes = try await tab.evaluate("document.querySelector('[data-figure=\"store.bytes\"]').dataset.value")
        figures["store.bytes"] = (bytes as? String).flatMap { Double($0) }
        deliveries = try await tab.strings(
            """
            [...document.querySelectorAll("#deliveries tr")].filter(row => row.cells.length === 3)
              .map(row => [...row.cells].map(cell => cell.textContent).join(" ").replaceAll(",", ""))
            """
        ).sorted()
    }
}

extension BrowserTab {
    /// Neither the page nor what it is drawn from names a device, an address or a transaction of the recording.
    fileprivate func expectNobodysData(of golden: GoldenNotifications, at origin: String) async throws {
        let rest = RESTClient(port: try #require(URL(string: origin)?.port))
        let json = String(decoding: try await rest.send("GET", "/status.json").body, as: UTF8.self)
        let value = try await evaluate("document.documentElement.outerHTML")
        let page = try #require(value as? String)
        for text in [json, page] {
            #expect(text.firstMatch(of: /kaspa(?:test|dev|sim)?:[a-z0-9]{20}/) == nil)
            for device in golden.devices { #expect(!text.contains(device.token)) }
            for notification in golden.notifications { #expect(!text.contains(notification.transactionID)) }
        }
    }
}
