import APNsSandbox
import Foundation
import Kaspa
import KaspadReplay
import Store
import StoreSupport
import TestCertificates
import Testing

/// `doctor` and `push test`: the real executable against a node and Apple's stand-in.
@Suite("doctor and push test, as commands", .timeLimit(.minutes(10)))
struct DoctorCommandTests {
    private let token = String(repeating: "5a", count: 32)

    /// Every line but that of the recording's old clock is fine.
    private func expectHealthy(_ world: World, isServed: Bool) async throws {
        let result = try await Executable.run(["doctor"], environment: world.environment)
        let lines = result.output.split(separator: "\n").map(String.init)
        for subject in ["configuration", "disk", "open files", "store", "node http", "apns"] {
            let isFine = lines.contains { $0.hasPrefix("ok    \(subject)") || $0.hasPrefix("warn  \(subject)") }
            #expect(isFine, "\(subject): \(result.output)")
        }
        #expect(lines.contains { $0.hasSuffix("accepts the credentials") }, "\(result.output)")
        // The recording is months old: the only thing wrong with this machine.
        let failures = lines.filter { $0.hasPrefix("fail") }
        #expect(failures.count == 1 && failures.allSatisfy { $0.hasPrefix("fail  clock: ") }, "\(failures)")
        #expect(result.status == 1)
        #expect(lines.contains { $0.contains("the service runs") } == isServed)
    }

    @Test("With everything there only the recording's old clock is wrong, before the first start")
    func healthy() async throws {
        try await World.with(Fixture.recording()) { world in
            await world.replay.advanceToEnd()
            try await expectHealthy(world, isServed: false)
            #expect(!FileManager.default.fileExists(atPath: world.folder.appendingPathComponent("store").path))
        }
    }

    @Test("Beside the service doctor and push test use its provider token: a second one would be refused")
    func besideTheService() async throws {
        try await World.with(Fixture.recording()) { world in
            await world.replay.advanceToEnd()
            let indexer = try await IndexerProcess(environment: world.environment)
            try await expectHealthy(world, isServed: true)
            let sent = try await Executable.run(["push", "test", "--token", token], environment: world.environment)
            #expect(sent.status == 0, "\(sent.output)")
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }

    @Test("On a new machine doctor, push test and the first start use one provider token between them")
    func beforeTheStore() async throws {
        try await World.with(
            Fixture.recording(),
            replay: { configuration in
                configuration.blockTimes = .moved
                let now = ReplayConfiguration.wallClock()
                configuration.now = { now }
            }
        ) { world in
            await world.replay.advanceToEnd()
            let store = world.folder.appendingPathComponent("store").path
            let file = store + ".provider-token"
            for arguments in [["doctor"], ["push", "test", "--token", token], ["doctor"]] {
                let result = try await Executable.run(arguments, environment: world.environment)
                #expect(result.status == 0, "\(result.output)")
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            #expect(!FileManager.default.fileExists(atPath: store))
            let indexer = try await IndexerProcess(environment: world.environment)
            let sent = try await Executable.run(["push", "test", "--token", token], environment: world.environment)
            #expect(sent.status == 0, "\(sent.output)")
            // The service has taken it over.
            #expect(!FileManager.default.fileExists(atPath: file))
            #expect(await indexer.end(SIGTERM) == 0)
            let again = try await Executable.run(["push", "test", "--token", token], environment: world.environment)
            #expect(again.status == 0, "\(again.output)")
            #expect(!world.sandbox.requests.contains { $0.reason == "TooManyProviderTokenUpdates" })
        }
    }

    @Test("Where the provider token cannot be kept, push test sends all the same and says so")
    func tokenNotKept() async throws {
        try await World.with(Fixture.recording()) { world in
            let nowhere = world.folder.appendingPathComponent("nowhere/store").path
            let environment = world.environment.merging(["STORE_PATH": nowhere]) { $1 }
            let sent = try await Executable.run(["push", "test", "--token", token], environment: environment)
            #expect(sent.status == 0 && sent.output.contains("Apple took it"), "\(sent.output)")
            #expect(sent.output.contains("the provider token cannot be kept for the next command: \(nowhere)."))
        }
    }

    @Test("A node behind TLS is followed by its authority's certificate, and by no other")
    func nodeBehindTLS() async throws {
        let certificate = try TestCertificate("node")
        try await World.with(Fixture.recording()) {
            $0.tls = (certificate.certificatePath, certificate.keyPath)
        } _: { world in
            await world.replay.advanceToEnd()
            let tip = try ReplayedChain(Fixture.recording(), entries: world.replay.entryCount).sink
            let url = "https://localhost:\(world.nodePort)"
            let environment = world.environment.merging(["NODE_URLS": url]) { $1 }
            let refused = try await Executable.run(["doctor"], environment: environment)
            #expect(refused.output.contains("fail  node \(url): ") && refused.output.contains("node.ca_path"))
            let trusting = environment.merging(["NODE_CA_PATH": certificate.certificatePath]) { $1 }
            let accepted = try await Executable.run(["doctor"], environment: trusting)
            #expect(accepted.output.contains("ok    node \(url): "), "\(accepted.output)")
            let indexer = try await IndexerProcess(environment: trusting)
            let path = world.folder.appendingPathComponent("store").path
            try await eventually("the chain is followed") {
                try await TestStores.open(path, readOnly: true).history.cursor()?.blockHash == tip
            }
            #expect(await indexer.end(SIGTERM) == 0)
            let damaged = environment.merging(["NODE_CA_PATH": world.folder.path + "/damaged.pem"]) { $1 }
            try Data("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n".utf8).write(
                to: world.folder.appendingPathComponent("damaged.pem"))
            for command in [["config", "check"], ["serve"]] {
                let result = try await Executable.run(command, environment: damaged)
                #expect(result.status == 78 && result.output.contains("node.ca_path"), "\(result.output)")
            }
        }
    }

    @Test("What is wrong fails with what to do")
    func sick() async throws {
        try await World.with(Fixture.recording()) { world in
            world.sandbox.addRule(SandboxRule(.answer(SandboxAnswer(status: 403, reason: "InvalidProviderToken"))))
            let environment = world.environment.merging(["NETWORK_TYPE": "testnet-10"]) { $1 }
            let result = try await Executable.run(["doctor"], environment: environment)
            #expect(result.status == 1)
            #expect(result.output.contains("correct network.type or node.urls"), "\(result.output)")
            #expect(result.output.contains("fail  apns: ") && result.output.contains("InvalidProviderToken"))
        }
    }

    @Test("A test push is sent once, and Apple's answer is explained")
    func pushTest() async throws {
        try await World.with(Fixture.recording()) { world in
            // Where a store is, the provider token is kept in it: a second one within 20 minutes would be refused.
            _ = try TestStores.open(world.folder.appendingPathComponent("store").path)
            let sent = try await Executable.run(
                ["push", "test", "--token", token.uppercased(), "--message", "hällo"], environment: world.environment)
            #expect(sent.status == 0 && sent.output.contains("Apple took it"), "\(sent.output)")
            let received = try await world.sandbox.waitForNotifications(count: 1)
            #expect(received.map(\.token) == [token])
            #expect(String(decoding: received[0].body, as: UTF8.self).contains("hällo"))
            world.sandbox.addRule(SandboxRule(.answer(SandboxAnswer(status: 400, reason: "BadDeviceToken")), times: 1))
            let refused = try await Executable.run(
                ["push", "test", "--token", token], environment: world.environment)
            #expect(refused.status == 1 && refused.output.contains("apns.environment"), "\(refused.output)")
        }
    }

    @Test("Of two hosts both are looked at, under one provider token, and a test push goes to the one that is named")
    func twoHosts() async throws {
        try await World.with(Fixture.recording(), sandbox: { $0.developmentPort = 0 }) { world in
            await world.replay.advanceToEnd()
            let origins = [SandboxEnvironment.development, .production].map { world.sandbox.origin(of: $0) }
            let environment = world.environment.merging([
                "APNS_ENDPOINT": "", "APNS_SANDBOX_ENDPOINT": origins[0], "APNS_PRODUCTION_ENDPOINT": origins[1],
                "APNS_ENVIRONMENT": "production",
            ]) { $1 }
            // Where a store is, the provider token is kept in it: a second one within 20 minutes would be refused.
            _ = try TestStores.open(world.folder.appendingPathComponent("store").path)
            let both = try await Executable.run(["doctor"], environment: environment)
            #expect(both.output.contains("ok    apns: \(origins[1]) accepts the credentials\n"), "\(both.output)")
            #expect(both.output.contains("ok    apns development: \(origins[0]) accepts the credentials\n"))
            world.sandbox.addRule(
                SandboxRule(
                    .answer(SandboxAnswer(status: 403, reason: "BadEnvironmentKeyInToken")), environment: .development))
            let one = try await Executable.run(["doctor"], environment: environment)
            #expect(one.output.contains("ok    apns: \(origins[1]) accepts the credentials\n"), "\(one.output)")
            let information = one.output.split(separator: "\n").first { $0.hasPrefix("ok    apns development: ") }
            #expect(information?.contains("BadEnvironmentKeyInToken") == true, "\(one.output)")
            world.sandbox.removeAllRules()
            world.sandbox.setToken(SandboxToken(token, goodAt: .development))
            for (arguments, status) in [
                ([], 1), (["--environment", "production"], 1), (["--environment", "development"], 0),
                (["--environment", "sandbox"], 64),
            ] as [([String], Int32)] {
                let result = try await Executable.run(
                    ["push", "test", "--token", token] + arguments, environment: environment)
                #expect(result.status == status, "\(result.output)")
            }
            #expect(world.sandbox.notifications(to: token).map(\.environment) == [.development])
        }
    }

    @Test("Without credentials, or with half a token, nothing is sent")
    func refused() async throws {
        let unset = try await Executable.run(["push", "test", "--token", token])
        #expect(unset.status == 78 && unset.output.contains("apns.* is not set"))
        for wrong in ["", "5a", String(repeating: "5", count: 63), String(repeating: "5a", count: 257), "zz"] {
            #expect(try await Executable.run(["push", "test", "--token", wrong]).status == 64)
        }
        #expect(try await Executable.run(["push", "test", "--token", token, "--message", ""]).status == 64)
    }
}
