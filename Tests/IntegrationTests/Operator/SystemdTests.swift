import Foundation
import Testing

@testable import KasiaPushIndexer

/// sd_notify against a real socket, by itself and in the real executable.
@Suite("systemd", .timeLimit(.minutes(10)))
struct SystemdTests {
    private let folder = FileManager.default.temporaryDirectory.path

    @Test("messages reach a path and an abstract name", arguments: [false, true])
    func messages(isAbstract: Bool) async throws {
        let name = isAbstract ? "@kasia-\(UUID().uuidString)" : "\(folder)/n-\(UUID().uuidString)"
        let socket = try DatagramSocket(name)
        defer { unlink(name) }
        let notifier = try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": name]))
        #expect(notifier.watchdogInterval == nil)
        notifier.ready()
        notifier.reloading()
        notifier.alive("node: ok\nWATCHDOG=trigger")
        notifier.stopping()
        try await eventually("four messages") { socket.messages.count == 4 }
        let messages = socket.messages
        #expect(messages[0] == "READY=1" && messages[3] == "STOPPING=1")
        #expect(messages[1].wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=\d+/) != nil)
        #expect(messages[2] == "WATCHDOG=1\nSTATUS=node: ok WATCHDOG=trigger")
    }

    @Test("a supervisor that is gone, or none, costs nothing")
    func nobody() {
        #expect(SystemdNotifier(environment: [:]) == nil)
        for name in ["", "@", "relative", "/" + String(repeating: "a", count: 107)] {
            #expect(SystemdNotifier(environment: ["NOTIFY_SOCKET": name]) == nil, "\(name)")
        }
        #expect(SystemdNotifier(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 106)]) != nil)
        SystemdNotifier(environment: ["NOTIFY_SOCKET": "/no/such/socket"])?.ready()
    }

    @Test("the watchdog's interval counts for the process that is meant")
    func watchdog() {
        func interval(_ variables: [String: String]) -> Duration? {
            let environment = variables.merging(["NOTIFY_SOCKET": "@x"]) { $1 }
            return SystemdNotifier(environment: environment, processID: 7)?.watchdogInterval
        }
        #expect(interval(["WATCHDOG_USEC": "3000000"]) == .seconds(3))
        #expect(interval(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"]) == .seconds(3))
        #expect(interval(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"]) == nil)
        for wrong in ["0", "-1", "x", ""] { #expect(interval(["WATCHDOG_USEC": wrong]) == nil) }
    }

    @Test("the executable is ready, lives, reads again and stops, and says so in that order")
    func executable() async throws {
        try await World.with(Fixture.recording()) { world in
            let name = "@kasia-\(UUID().uuidString)"
            let socket = try DatagramSocket(name)
            let indexer = try await IndexerProcess(
                environment: world.environment.merging(["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "200000"]) { $1 })
            try await eventually("it is ready and lives") {
                socket.messages.contains("READY=1")
                    && socket.messages.filter { $0.hasPrefix("WATCHDOG=1\nSTATUS=node: ") }.count >= 3
            }
            indexer.send(SIGHUP)
            try await eventually("it reads again and is ready again") {
                socket.messages.filter { $0 == "READY=1" }.count == 2
            }
            #expect(await indexer.end(SIGTERM) == 0)
            let events = socket.messages.filter { !$0.hasPrefix("WATCHDOG=1") }
                .map { $0.prefix { $0 != "\n" } }
            #expect(events == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"])
        }
    }
}
