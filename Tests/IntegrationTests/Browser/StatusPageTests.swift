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
                configuration.blockTimes = .moved
                let now = ReplayConfiguration.wallClock() + 300_000
                configuration.now = { now }
            }
        ) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            for device in golden.devices { try await indexer.rest.register(device.registration) }
            let origin = "http://127.0.0.1:\(indexer.rest.port)"
            let tab = try await Browser().open()
            try await tab.go(to: origin + "/")
            try await tab.until("document.getElementById('connection').textContent === 'live'")
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
            try await tab.until("document.getElementById('state').textContent.trim() === 'All is well.'")
            let sharesStore = world.environment["STORE_URL"] != nil
            try await tab.until(
                "document.getElementById('members').checkVisibility() === \(sharesStore)"
                    + " && document.getElementById('members').textContent.includes('working') === \(sharesStore)")
            // Two samples in a row make a line.
            try await tab.until("document.querySelector('#plot-lag path.line') !== null")
            try await tab.expectHonestAxes()
            for scheme in ["light", "dark"] {
                try await tab.prefer(scheme)
                try await tab.expectReadable()
                try await tab.showAll()
                try await tab.expectWholeWords()
                try await tab.screenshot("status-\(scheme)")
                try await tab.resize(390, 844, isPhone: true)
                try await tab.until("document.documentElement.scrollWidth <= 390")
                try await tab.expectWholeWords()
                try await tab.showAll(width: 390)
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
            let isLive = "document.getElementById('connection').textContent === 'live'"
            let isCut = "document.getElementById('cut').checkVisibility()"
            let sentence = "document.getElementById('cut').textContent"
            try await tab.until(isLive)
            #expect(try await tab.evaluate(isCut) as? Bool == false)

            first.send(SIGSTOP)
            try await tab.until("\(isCut) && /^No data since \\d\\d:\\d\\d:\\d\\d\\. Retrying/.test(\(sentence))")
            #expect(try await tab.evaluate("document.getElementById('state').checkVisibility()") as? Bool == false)
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
                let connection = try await tab.evaluate("document.getElementById('connection').textContent") as? String
                return connection == "polling every few seconds"
            }
            try await tab.until("document.getElementById('state').textContent.startsWith('No node is connected: ')")
            // No node answers: the page says so, and the log's warnings stand in the list.
            try await tab.until("document.getElementById('parts').textContent.includes('Node')")
            try await tab.until("document.querySelectorAll('#events code').length > 0")
            try await tab.send("Fetch.disable")
            try await tab.until("document.getElementById('connection').textContent === 'live'")
            try await tab.prefer("dark")
            try await tab.expectReadable()
            try await tab.showAll()
            try await tab.screenshot("status-not-ready")
            try await tab.resize(390, 844, isPhone: true)
            try await tab.until("document.documentElement.scrollWidth <= 390")
            try await tab.expectWholeWords()
            try await tab.showAll(width: 390)
            try await tab.screenshot("status-not-ready-narrow")
        }
    }

    @Test("a trouble leads to its section of the guide, which is readable in light and in dark, and on a narrow screen")
    func guide() async throws {
        try await IdleIndexer.with { rest in
            let origin = "http://127.0.0.1:\(rest.port)"
            let tab = try await Browser().open()
            try await tab.go(to: origin + "/")
            try await tab.until("document.querySelector('#state a') !== null")
            let links = try await tab.strings(
                "[...document.querySelectorAll('#state a, #parts a')].map(link => link.getAttribute('href'))")
            #expect(links.contains("guide#apns-not-configured") && links.count == 5)
            _ = try await tab.evaluate("document.querySelector('#state a').click()")
            try await tab.until("location.pathname === '/guide' && document.readyState === 'complete'")
            let section = try await tab.evaluate("document.querySelector(':target').textContent") as? String
            #expect(section?.hasPrefix("node: ") == true)
            for scheme in ["light", "dark"] {
                try await tab.prefer(scheme)
                try await tab.expectReadable()
                try await tab.screenshot("guide-\(scheme)")
            }
            try await tab.resize(390, 844, isPhone: true)
            try await tab.until("document.documentElement.scrollWidth <= 390")
            try await tab.screenshot("guide-narrow")
            #expect(tab.complaints == [])
            #expect(tab.requests.allSatisfy { $0.hasPrefix(origin + "/") }, "\(tab.requests)")
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
        "chain.reorganizations": "reorganizations_total", "chain.gaps": "gaps",
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
            [...document.querySelectorAll("#deliveries tr[data-entry]")]
              .filter(row => row.dataset.entry.endsWith(" " + row.cells[2].textContent.replaceAll(",", "")))
              .map(row => row.dataset.entry)
            """
        ).sorted()
    }
}

extension BrowserTab {
    /// The time axis begins at the start until an hour is full, and no two ticks of an axis read alike.
    fileprivate func expectHonestAxes() async throws {
        #expect(try await evaluate("span().start === startedAt && span().end === past.time.at(-1)") as? Bool == true)
        let hours = """
            [3599, 3600, 3601, 7200].map(seconds => {
              const kept = startedAt;
              startedAt = past.time.at(-1) - seconds * 1000;
              const {start, end} = span();
              startedAt = kept;
              return (end - start) / 1000;
            })
            """
        #expect(try await evaluate(hours) as? [Int] == [3_599, 3_600, 3_600, 3_600])
        let drawn = try await strings(
            """
            plots.flatMap(plot => ["value", "time"].map(axis => {
              const labels = [...plot.svg.querySelectorAll("text." + axis)].map(label => label.textContent);
              return labels.length && new Set(labels).size === labels.length ? "" : plot.id + ": " + labels;
            })).filter(complaint => complaint)
            """)
        #expect(drawn == [])
        let alike = try await strings(
            """
            ["seconds", "rate", "count"].flatMap(kind =>
              [0, 1e-9, 0.0004, 0.004, 0.0249, 0.25, 0.99, 1, 2.49, 2.5, 3, 7, 9.99, 59, 61, 119, 600, 3599, 7300, 9e4, 1e6, 123456789]
                .map(highest => ({kind, highest, ticks: valueTicks(highest, kind)}))
                .filter(({highest, ticks}) => new Set(ticks.map(tick => tick.label)).size !== ticks.length
                  || ticks.length < 2 || ticks.length > 6 || ticks.at(-1).value < highest * 0.999)
                .map(({kind, highest, ticks}) => `${kind} ${highest}: ${ticks.map(tick => tick.label)}`))
            """)
        #expect(alike == [])
        let times = try await strings(
            """
            [10, 11, 29, 30, 61, 300, 301, 1799, 3599, 3600].flatMap(seconds => [200, 300, 900].map(width => {
              const start = 1767225601234;
              const ticks = timeTicks(start, start + seconds * 1000, width);
              const labels = ticks.map(tick => tick.label);
              const isGood = ticks.length >= 1 && ticks.length <= width / 55 + 1 && new Set(labels).size === labels.length
                && ticks.every(tick => tick.time >= start && tick.time <= start + seconds * 1000);
              return isGood ? "" : `${seconds} ${width}: ${labels}`;
            })).filter(complaint => complaint)
            """)
        #expect(times == [])
    }

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
