import APNsSandbox
import NIOCore
import Testing

@Suite("GOAWAY", .timeLimit(.minutes(5)))
struct GoAwayTests {
    @Test("leaves what is in flight unprocessed, and the last stream says so")
    func unprocessed() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push()).status == 200)
            fixture.sandbox.addRule(SandboxRule(.accept, times: 2, delay: .seconds(3600)))
            fixture.sandbox.addRule(SandboxRule(.goAway(SandboxGoAway(errorCode: 2, debugData: "why")), times: 1))
            let waiting = (0..<3).map { _ in connection.start(fixture.push()) }
            for response in waiting { #expect(try await response.get().ending == .unprocessed) }
            #expect(try await connection.goAway() == TestGoAway(last: 1, code: 2, debug: "why"))
            try await connection.closed()
            #expect(fixture.sandbox.notifications.map(\.stream) == [1])
            #expect(fixture.sandbox.requests.dropFirst().allSatisfy { $0.ending == .goAway && $0.status == 0 })
            #expect(fixture.sandbox.counts.requests == 4)
        }
    }

    @Test("with every stream allowed answers what is open, and then closes")
    func graceful() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            fixture.sandbox.addRule(SandboxRule(.accept, times: 1, delay: .milliseconds(50)))
            fixture.sandbox.addRule(SandboxRule(.goAway(SandboxGoAway(lastStream: .all)), times: 1))
            let slow = connection.start(fixture.push())
            let last = connection.start(fixture.push())
            #expect(try await last.get().status == 200)
            #expect(try await slow.get().status == 200)
            #expect(try await connection.goAway().last == Int(Int32.max))
            try await connection.closed()
        }
    }

    @Test("splits the open streams at the id it names", arguments: [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
    func splits(id: Int, processed: Int) async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            fixture.sandbox.addRule(SandboxRule(.accept, times: 2, delay: .milliseconds(50)))
            fixture.sandbox.addRule(SandboxRule(.goAway(SandboxGoAway(lastStream: .stream(id))), times: 1))
            let pending = (0..<3).map { _ in connection.start(fixture.push()) }
            var answered = 0
            for response in pending {
                let response = try await response.get()
                #expect(response.ending == (response.status == 200 ? .complete : .unprocessed))
                answered += response.status == 200 ? 1 : 0
            }
            #expect(answered == processed)
            #expect(fixture.sandbox.counts.notifications == processed)
            try await connection.closed()
        }
    }

    @Test("may come twice, and never raises the last stream")
    func twice() async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push()).status == 200)
            fixture.sandbox.addRule(SandboxRule(.accept, times: 1, delay: .milliseconds(50)))
            let slow = connection.start(fixture.push())
            let keepOpen = SandboxGoAway(lastStream: .newest, closesConnection: false)
            fixture.sandbox.addRule(SandboxRule(.goAway(keepOpen), times: 1))
            #expect(try await connection.send(fixture.push()).status == 200)
            fixture.sandbox.sendGoAway(SandboxGoAway(lastStream: .all))
            #expect(try await slow.get().status == 200)
            try await connection.closed()
        }
    }

    @Test("now, from outside, ends idle connections")
    func now() async throws {
        try await withSandbox { fixture in
            let connections = [try await fixture.connect(), try await fixture.connect()]
            for connection in connections { #expect(try await connection.send(fixture.push()).status == 200) }
            fixture.sandbox.sendGoAway()
            for connection in connections {
                #expect(try await connection.goAway().last == 1)
                try await connection.closed()
            }
        }
    }
}
