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
            try await tab.expectWholeWords()
            try await tab.screenshot("docs-\(scheme)")
            try await tab.resize(390, 844, isPhone: true)
            try await tab.until("document.documentElement.scrollWidth <= 390")
            try await tab.expectWholeWords()
            try await tab.screenshot("docs-\(scheme)-narrow")
        }
    }

    @Test("on a narrow screen the list is one touch away, and whole in width")
    func narrow() async throws {
        try await IdleIndexer.with { rest in
            let tab = try await Browser().open(size: (390, 844))
            try await tab.resize(390, 844, isPhone: true)
            try await tab.go(to: "http://127.0.0.1:\(rest.port)/docs")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            let isShown = "document.querySelector('#contents a').checkVisibility()"
            #expect(try await tab.evaluate(isShown) as? Bool == false, "the first call is not pushed away by the list")
            _ = try await tab.evaluate("document.querySelector('#contents > summary').click()")
            try await tab.until(isShown)
            try await tab.until("document.documentElement.scrollWidth <= 390")
            try await tab.expectWholeWords()
            let cut = try await tab.strings(
                """
                [...document.querySelectorAll("#contents a")].filter(link => {
                  const box = link.getBoundingClientRect();
                  return box.left < 0 || box.right > 390 || box.height < 28;
                }).map(link => link.textContent)
                """)
            #expect(cut == [])
            try await tab.screenshot("docs-list-narrow")
            _ = try await tab.evaluate("document.querySelector('#contents a[href=\"#message\"]').click()")
            try await tab.until("document.getElementById('message').getBoundingClientRect().top < 844")
            _ = try await tab.evaluate(
                "document.querySelectorAll('#register details').forEach(one => one.open = true)")
            try await tab.until("document.documentElement.scrollWidth <= 390")
            try await tab.expectWholeWords()
            _ = try await tab.evaluate("document.getElementById('register').scrollIntoView()")
            try await tab.screenshot("docs-register-narrow")
            #expect(tab.complaints == [])
        }
    }

    @Test("the line for curl of each call runs in a shell as it stands, and gets an answer that the call has")
    func curlLines() async throws {
        try await IdleIndexer.with { rest in
            let origin = "http://127.0.0.1:\(rest.port)"
            let tab = try await Browser().open()
            try await tab.go(to: origin + "/docs")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            let lines = try await tab.strings(
                """
                [...document.querySelectorAll(".call")].map(call =>
                  [call.dataset.call, call.querySelector(".curl code").textContent].join("\\n"))
                """)
            let expected = try await described(rest)
            #expect(lines.count == expected.count)
            for entry in lines {
                let parts = entry.split(separator: "\n", maxSplits: 1).map(String.init)
                let (call, line) = (parts[0], parts[1])
                #expect(line.hasPrefix("curl ") && line.contains("'\(origin)/"), "\(line)")
                let status = try Shell.output("\(line) -s -o /dev/null -m 3 -w '%{http_code}'")
                #expect(expected[call]?.contains(status) == true, "\(status) \(line)")
                // What is made up is refused for its signature alone.
                #expect(!["400", "403", "415"].contains(status), "\(status) \(line)")
            }
            #expect(lines.contains { $0.contains("-X DELETE") } && lines.contains { $0.contains("curl -N ") })
        }
    }

    @Test("each body has an example, and each text of it keeps to its pattern")
    func bodies() async throws {
        try await IdleIndexer.with { rest in
            let tab = try await Browser().open()
            try await tab.go(to: "http://127.0.0.1:\(rest.port)/docs")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            let without = try await tab.strings(
                """
                Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods)
                  .filter(([, operation]) => operation.requestBody)
                  .filter(([, operation]) => {
                    const card = document.getElementById(operation.operationId);
                    const shown = JSON.parse(card.querySelector("details.example code").textContent);
                    const sent = JSON.parse(card.querySelector("textarea").value);
                    return !Object.keys(shown).length || JSON.stringify(shown) !== JSON.stringify(sent);
                  }).map(([method]) => method + " " + path))
                """)
            #expect(without == [])
            let patterns = [
                #"^[0-9A-Fa-f]{64}$"#, #"^(?:[0-9A-Fa-f]{2})*$"#, #"^[a-z0-9_.-]{1,64}$"#, #"^\d+\.\w{3}$"#,
                #"^(?:ios|macos)$"#, #"^\s*(?:kaspa:[qp][02-9ac-hj-np-z]{60})\s*$"#, #"^[^\s:]{1,36}$"#,
                #"^[ <>:-]*(?:[0-9A-Fa-f][ <>:-]*[0-9A-Fa-f][ <>:-]*){32,256}$"#, #"^(?:a|b)+,c?$"#,
                #"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"#,
            ]
            let wrong = try await tab.strings(
                "\(BrowserTab.literal(patterns)).filter(pattern => !new RegExp(pattern).test(textFor(pattern)))")
            #expect(wrong == [])
            let unknown = BrowserTab.literal(["(?=x)y", "(", "[a"])
            #expect(try await tab.strings("\(unknown).map(textFor)") == ["", "", ""])
        }
    }

    @Test("a call can be tried: status, time, request id and body are shown, and the line follows the fields")
    func trying() async throws {
        try await IdleIndexer.with { rest in
            let origin = "http://127.0.0.1:\(rest.port)"
            let tab = try await Browser().open()
            try await tab.go(to: origin + "/docs")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            try await tab.send(of: "health")
            let health = try await tab.result(of: "health")
            #expect(health.state.firstMatch(of: /^200 OK · \d+ ms · x-request-id: [0-9A-Za-z._-]{1,40}$/) != nil)
            #expect(health.text == "{\n  \"status\": \"ok\"\n}")

            try await tab.send(of: "register")
            #expect(try await tab.result(of: "register").state.hasPrefix("200 OK · "))
            #expect(try await rest.isRegistered("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"))
            try await tab.type(#"{"device_token": "it's none"}"#, into: "#register textarea")
            let line = try await tab.evaluate("document.querySelector('#register .curl code').textContent") as? String
            let quoted = #"'{"device_token":"it'\''s none"}'"#
            #expect(
                line == "curl '\(origin)/v1/push/register' -H 'content-type: application/json' -d \(quoted)")
            try await tab.send(of: "register")
            let refused = try await tab.result(of: "register")
            #expect(refused.state.hasPrefix("400 Bad Request · ") && refused.text.contains("\"error\""))

            try await tab.type("ab/c?d", into: "#message input")
            #expect(
                try await tab.evaluate("document.querySelector('#message .curl code').textContent") as? String
                    == "curl '\(origin)/v1/messages/ab%2Fc%3Fd'")

            // A stream is shown while it goes on, until it is stopped.
            _ = try await tab.evaluate("document.querySelector('#statusStream .send').click()")
            try await tab.until("document.querySelector('#statusStream .answer').textContent.includes('event: status')")
            _ = try await tab.evaluate("document.querySelector('#statusStream .stop').click()")
            try await tab.until("document.querySelector('#statusStream .result').textContent === 'Stopped.'")
            _ = try await tab.evaluate("document.querySelectorAll('#register details').forEach(one => one.open = true)")
            _ = try await tab.evaluate("document.getElementById('register').scrollIntoView()")
            try await tab.expectReadable()
            try await tab.screenshot("docs-try")
            // The refused body is the only complaint: a browser logs it by itself.
            #expect(tab.complaints.allSatisfy { $0.contains("400") }, "\(tab.complaints)")
            #expect(tab.requests.allSatisfy { $0.hasPrefix(origin + "/") }, "\(tab.requests)")
        }
    }

    @Test("an answer longer than is shown is cut, and one that does not come is told")
    func tryingInVain() async throws {
        try await IdleIndexer.with { rest in
            let tab = try await Browser().open()
            try await tab.go(to: "http://127.0.0.1:\(rest.port)/docs")
            try await tab.until("document.querySelectorAll('.call').length > 0")
            try await tab.send(of: "openAPI")
            let long = try await tab.result(of: "openAPI")
            #expect(
                long.state.hasSuffix(" · Only the beginning is shown.") && long.text.count == 65_536)
            try await tab.send(
                "Network.emulateNetworkConditions",
                [
                    "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
                ])
            try await tab.send(of: "health")
            #expect(try await tab.result(of: "health").state.hasPrefix("No answer: "))
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

/// What a shell makes of a line.
private enum Shell {
    static func output(_ line: String) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

extension BrowserTab {
    /// Presses the button of a call and waits until its answer is there.
    fileprivate func send(of call: String) async throws {
        _ = try await evaluate("document.querySelector('#\(call) .send').click()")
        try await until("!document.querySelector('#\(call) .result').textContent.endsWith('…')")
    }

    fileprivate func result(of call: String) async throws -> (state: String, text: String) {
        let shown = try await strings(
            "['.result', '.answer'].map(part => document.querySelector('#\(call) ' + part).textContent)")
        return (shown[0], shown[1])
    }

    fileprivate func type(_ text: String, into field: String) async throws {
        _ = try await evaluate(
            """
            (() => { const field = document.querySelector("\(field)"); field.value = \(BrowserTab.literal([text]))[0];
              field.dispatchEvent(new Event("input", {bubbles: true})); })()
            """)
    }

    /// Texts as JavaScript writes them.
    fileprivate static func literal(_ texts: [String]) -> String {
        (try? JSONSerialization.data(withJSONObject: texts)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }

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
