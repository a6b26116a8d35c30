import APNsSandbox
import Testing

@Suite("The control endpoint", .timeLimit(.minutes(5)))
struct ControlEndpointTests {
    @Test("changes the rules and shows them, without being counted")
    func rules() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            let script = #"{"rules": [{"name": "r", "times": 2, "answer": {"status": 503}}], "maximum_streams": 9}"#
            let added = try await connection.send(fixture.control("POST", "/control/script", script))
            #expect(added.status == 200)
            #expect(added.body.contains(#""maximum_streams":9"#))
            #expect(try await connection.send(fixture.push()).status == 503)
            let state = try await connection.send(fixture.control("GET", "/control/state"))
            #expect(
                state.body == #"{"connections":1,"maximum_streams":9,"notifications":0,"open_connections":1,"#
                    + #""requests":1,"rules":[{"chance":1,"effect":"answer 503","hits":1,"name":"r","skip":0,"times":1}],"#
                    + #""tokens":[]}"# + "\n")
            #expect(try await connection.send(fixture.control("DELETE", "/control/rules/r")).status == 200)
            #expect(try await connection.send(fixture.control("DELETE", "/control/rules/r")).status == 404)
            #expect(try await connection.send(fixture.control("DELETE", "/control/rules")).status == 200)
            #expect(try await connection.send(fixture.push()).status == 200)
            #expect(fixture.sandbox.counts.requests == 2)
        }
    }

    @Test("shows what arrived, page by page")
    func log() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            for body in [SandboxFixture.payload, [], SandboxFixture.payload] {
                _ = try await connection.send(fixture.push(body: body))
            }
            let page = try await connection.send(fixture.control("GET", "/control/notifications?after=1&limit=5"))
            #expect(page.body.hasPrefix(#"[{"accepted":true,"apns_id":"#))
            #expect(page.body.contains(#""number":3"#) && !page.body.contains(#""number":1"#))
            let all = try await connection.send(fixture.control("GET", "/control/requests"))
            #expect(all.body.contains(#""reason":"PayloadEmpty""#))
            for query in ["after=x", "after", "first=1", "limit=-1", "token"] {
                let response = try await connection.send(fixture.control("GET", "/control/requests?\(query)"))
                #expect(response.status == 400 && response.body.contains("possible are after"))
            }
            let token = try #require(fixture.sandbox.requests.first?.token)
            for (query, count) in [("token=\(token)", 3), ("token=\(token)&after=1&limit=1", 1), ("token=abc", 0)] {
                let response = try await connection.send(fixture.control("GET", "/control/requests?\(query)"))
                #expect(response.body.split(separator: "\"apns_id\"").count == count + 1, "\(query)")
            }
            #expect(try await connection.send(fixture.control("DELETE", "/control/notifications")).status == 200)
            #expect(fixture.sandbox.requests.isEmpty)
        }
    }

    @Test("commands every connection but its own")
    func commands() async throws {
        try await withSandbox { fixture in
            let (control, other) = (try await fixture.connect(), try await fixture.connect())
            #expect(try await other.send(fixture.push()).status == 200)
            let goAway = fixture.control("POST", "/control/script", #"{"go_away": {}}"#)
            #expect(try await control.send(goAway).status == 200)
            #expect(try await other.goAway().last == 1)
            try await other.closed()
            let another = try await fixture.connect()
            #expect(try await another.send(fixture.push()).status == 200)
            let close = fixture.control("POST", "/control/script", #"{"close_connections": true}"#)
            #expect(try await control.send(close).status == 200)
            try await another.closed()
            let refuse = fixture.control("POST", "/control/script", #"{"refuse": {"seconds": 60}}"#)
            #expect(try await control.send(refuse).status == 200)
            await #expect(throws: (any Error).self) { _ = try await fixture.connect() }
        }
    }

    @Test("answers what it does not understand with a sentence")
    func errors() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            let wrong = try await connection.send(fixture.control("POST", "/control/script", #"{"rules": 1}"#))
            #expect(wrong.status == 400)
            #expect(wrong.body == "{\"error\":\"rules: must be an array.\"}\n")
            let huge = String(repeating: " ", count: 256 * 1024 + 1)
            #expect(try await connection.send(fixture.control("POST", "/control/script", huge)).status == 413)
            for (method, path) in [("GET", "/control/script"), ("GET", "/control/"), ("PATCH", "/control/state")] {
                #expect(try await connection.send(fixture.control(method, path)).status == 404)
            }
        }
    }
}
