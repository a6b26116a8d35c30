import Foundation
import Testing

/// The page `/docs` of the real executable in a real browser.
///
/// Skipped, and said so, where chromium is not installed.
@Suite(
    "The page /docs", .timeLimit(.minutes(10)),
    .enabled(if: Browser.executable != nil, "chromium is not installed: deploy/install-deps.sh --tests"))
struct DocumentationPageTests {
    /// `METHOD PATH` of each call in /openapi.json, with the names of its answers.
    private func described(_ rest: RESTClient) async throws -> [String: [String]] {
        let answer = try await rest.send("GET", "/openapi.json")
        let document = try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        var calls: [String: [String]] = [:]
        for (path, methods) in paths {
            for (method, operation) in methods {
                let responses = try #require(operation["responses"] as? [String: Any])
                calls["\(method.uppercased()) \(path)"] = responses.keys.sorted()
            }
        }
        return calls
    }

    @Test("lists each call of /openapi.json with its answers, needs nothing from elsewhere, and can be searched")
    func calls() async throws {
        try await IdleIndexer.with { rest in
            let origin = "http://127.0.0.1:\(rest.port)"
            let tab = try await Browser().open()
            try await tab.go(to: origin + "/docs")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            let expected = try await described(rest)
            let listed = try await tab.strings("[...document.querySelectorAll('.call')].map(call => call.dataset.call)")
            #expect(listed.sorted() == expected.keys.sorted())
            for (call, statuses) in expected {
                let shown = try await tab.strings(
                    "[...document.querySelectorAll('[data-call=\"\(call)\"] [data-status]')].map(one => one.dataset.status)"
                )
                #expect(shown.sorted() == statuses, "\(call)")
            }
            let links = try await tab.strings(
                "[...document.querySelectorAll('#contents a')].map(link => link.getAttribute('href').slice(1))")
            #expect(links.count == expected.count)
            #expect(try await tab.evaluate("\(links).every(id => document.getElementById(id))") as? Bool == true)
            let leftovers = "/undefined|\\[object/.test(document.body.innerText)"
            #expect(try await tab.evaluate(leftovers) as? Bool == false)

            try await tab.evaluateSearch("unregister")
            let found = try await tab.strings(BrowserTab.visibleCalls)
            #expect(found.contains("DELETE /v1/push/unregister") && !found.contains("GET /health"))
            #expect(
                try await tab.evaluate("document.getElementById('count').textContent") as? String
                    == "\(found.count) of \(expected.count) calls")
            try await tab.evaluateSearch("")
            #expect(try await tab.strings(BrowserTab.visibleCalls).count == expected.count)

            #expect(tab.complaints == [])
            #expect(!tab.requests.isEmpty && tab.requests.allSatisfy { $0.hasPrefix(origin + "/") }, "\(tab.requests)")
        }
    }

    @Test("is readable in light and in dark, and on a narrow screen", arguments: ["light", "dark"])
    func pictures(scheme: String) async throws {
        try await IdleIndexer.with { rest in
            let tab = try await Browser().open()
            try await tab.prefer(scheme)
            try await tab.go(to: "http://127.0.0.1:\(rest.port)/docs")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            _ = try await tab.evaluate("document.querySelectorAll('#register details').forEach(one => one.open = true)")
            try await tab.expectReadable()
            try await tab.screenshot("docs-\(scheme)")
            try await tab.resize(390, 844, isPhone: true)
            try await tab.until("document.documentElement.scrollWidth <= 390")
            try await tab.screenshot("docs-\(scheme)-narrow")
        }
    }

    @Test("a path with a slash behind it finds its neighbours all the same")
    func slash() async throws {
        try await IdleIndexer.with { rest in
            let tab = try await Browser().open()
            try await tab.go(to: "http://127.0.0.1:\(rest.port)/docs/#health")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            #expect(tab.complaints == [])
        }
    }

    @Test("without scripts it says so, and where the description is", arguments: ["/docs", "/"])
    func withoutScripts(path: String) async throws {
        try await IdleIndexer.with { rest in
            let tab = try await Browser().open()
            try await tab.send("Emulation.setScriptExecutionDisabled", ["value": true])
            try await tab.go(to: "http://127.0.0.1:\(rest.port)\(path)")
            let link = path == "/" ? "status.json" : "openapi.json"
            try await tab.until("document.querySelector(\"noscript a[href='\(link)']\").checkVisibility()")
        }
    }
}

extension BrowserTab {
    static let visibleCalls =
        "[...document.querySelectorAll('.call')].filter(call => call.checkVisibility()).map(call => call.dataset.call)"

    /// Types into the search box.
    func evaluateSearch(_ text: String) async throws {
        _ = try await evaluate(
            """
            (() => { const field = document.getElementById("search"); field.value = "\(text)";
              field.dispatchEvent(new Event("input", {bubbles: true})); })()
            """)
    }

    /// Every visible text stands out from what is behind it: 4.5 to 1 as WCAG 2 counts, 3 to 1 when it is large.
    func expectReadable(_ location: SourceLocation = #_sourceLocation) async throws {
        let faint = try await strings(
            """
            (() => {
              const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
              const light = ([r, g, b]) => [r, g, b].map(value => value / 255)
                .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
                .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
              const behind = node => {
                for (; node; node = node.parentElement) {
                  const colour = parse(getComputedStyle(node).backgroundColor);
                  if (colour.length === 3 || colour[3] > 0.99) return colour;
                }
                return [255, 255, 255];
              };
              const faint = [];
              for (const node of document.querySelectorAll("body *")) {
                const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
                if (!own || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(node.tagName) || !node.checkVisibility()) continue;
                const style = getComputedStyle(node);
                const text = node.namespaceURI.endsWith("svg") ? style.fill : style.color;
                const [one, other] = [light(parse(text)), light(behind(node))];
                const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
                const isLarge = parseFloat(style.fontSize) >= 24;
                if (contrast < (isLarge ? 3 : 4.5)) {
                  faint.push(`${node.tagName}.${node.className}: ${contrast.toFixed(2)}: ${node.textContent.slice(0, 40)}`);
                }
              }
              return [...new Set(faint)];
            })()
            """)
        #expect(faint == [], sourceLocation: location)
    }
}
