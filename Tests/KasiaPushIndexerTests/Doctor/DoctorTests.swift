import APNs
import Foundation
import HTTP2Client
import Kaspa
import KaspaNode
import Store
import Testing

@testable import KasiaPushIndexer

@Suite("doctor")
struct DoctorTests {
    @Test("a finding is one line with its level, and what to do")
    func line() {
        #expect(Finding(.ok, "disk", "fine").description == "ok    disk: fine")
        #expect(Finding(.fail, "node", "a\nb", todo: "c\r\nd").description == "fail  node: a b — c d")
    }

    @Test("disk space is judged at its limits")
    func disk() {
        let limits: [(UInt64, Finding.Level)] = [
            (0, .fail), ((512 << 20) - 1, .fail), (512 << 20, .warn), ((512 << 20) + 1, .warn), ((5 << 30) - 1, .warn),
            (5 << 30, .ok), ((5 << 30) + 1, .ok), (.max, .ok),
        ]
        for (bytes, level) in limits {
            let finding = MachineCheck.disk(freeBytes: bytes, at: "/x")
            #expect(finding.level == level, "\(bytes)")
            #expect((finding.todo == nil) == (level == .ok))
        }
    }

    @Test("open files suffice from the sum of what is needed on", arguments: [-1, 0, 1])
    func files(beyond: Int) {
        let finding = MachineCheck.files(limit: UInt64(512 + MachineCheck.ownFiles + beyond), connections: 512)
        #expect(finding.level == (beyond < 0 ? .warn : .ok))
    }

    @Test("the clock is judged by the node's newest block, either way")
    func clock() {
        let now: UInt64 = 10_000_000_000
        let cases: [(UInt64, Finding.Level)] = [
            (0, .ok), (59_999, .ok), (60_000, .ok), (60_001, .warn), (599_999, .warn), (600_000, .warn),
            (600_001, .fail),
        ]
        for (skew, level) in cases {
            #expect(NodeCheck.clock(sinkTime: now + skew, now: now).level == level)
            #expect(NodeCheck.clock(sinkTime: now - skew, now: now).level == level)
        }
        #expect(NodeCheck.clock(sinkTime: .max, now: 0).level == .fail)
        #expect(NodeCheck.clock(sinkTime: 0, now: .max).level == .fail)
        #expect(NodeCheck.clock(sinkTime: now + 90_000, now: now).text.contains("90 s behind"))
    }

    @Test("only an answer about the device says that Apple takes the credentials")
    func credentials() {
        func level(_ outcome: APNsOutcome) -> Finding.Level { APNsCheck.finding(for: outcome, origin: "o").level }
        #expect(level(.tokenInvalid(.badDeviceToken)) == .ok)
        #expect(level(.delivered(apnsID: "x")) == .ok)
        #expect(level(.deliveredByOtherHost(apnsID: "x", host: .development)) == .ok)
        #expect(level(.otherHostRefused(.badEnvironmentKeyInToken)) == .warn)
        #expect(level(.tokenInvalid(.deviceTokenNotForTopic)) == .fail)
        for reason in APNsReason.allCases where reason.statuses == [403] {
            #expect(level(.configurationRefused(reason)) == .fail)
        }
        #expect(level(.transport(.dns)) == .fail)
        #expect(level(.notSent(.noProviderToken("x"))) == .fail)
        #expect(level(.serverUnavailable(.shutdown, retryAfter: nil)) == .warn)
        #expect(level(.providerTokenThrottled(retryAfter: nil)) == .warn)
    }

    @Test("what the host that is not the operator's own says is information, and names the devices it concerns")
    func otherHost() {
        func finding(_ outcome: APNsOutcome) -> Finding {
            APNsCheck.information(for: outcome, host: .development, origin: "o")
        }
        #expect(
            finding(.tokenInvalid(.badDeviceToken)) == Finding(.ok, "apns development", "o accepts the credentials"))
        let troubles: [APNsOutcome] = [
            .otherHostRefused(.badEnvironmentKeyInToken), .otherHostRefused(nil), .transport(.dns),
        ]
        for outcome in troubles {
            let finding = finding(outcome)
            #expect(finding.level == .ok && finding.text.contains(outcome.reasonLabel))
            #expect(finding.text.hasSuffix("devices whose tokens are good at this host get nothing, the others do"))
        }
    }

    @Test("without credentials there is a warning, and a store that is not there is no fault")
    func nothingThere() async throws {
        let directory = try TemporaryDirectory()
        var configuration = IndexerConfiguration()
        configuration.store.path = directory.path + "/new/store"
        #expect(await APNsCheck(configuration: configuration).findings().map(\.level) == [.warn])
        let findings = await StoreOpenCheck(configuration: configuration).findings()
        #expect(findings.map(\.level) == [.ok])
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/new"))
        #expect(
            FileSpace.nearestDirectory(of: directory.path + "/new/store")
                == URL(filePath: directory.path).standardizedFileURL.path)
        #expect(MachineCheck(configuration: configuration).findings().map(\.subject) == ["disk", "open files"])
    }

    @Test("a store of another network, and one that others may read, are said so")
    func store() async throws {
        let directory = try TemporaryDirectory()
        var configuration = IndexerConfiguration()
        configuration.store.path = directory.path + "/store"
        _ = try Store(path: configuration.store.path, network: .mainnet)
        // What the service made itself is nothing to warn of.
        #expect(await StoreOpenCheck(configuration: configuration).findings().map(\.level) == [.ok])
        try FileManager.default.setAttributes([.posixPermissions: 0o710], ofItemAtPath: configuration.store.path)
        #expect(await StoreOpenCheck(configuration: configuration).findings().map(\.level) == [.ok, .warn])
        configuration.network.type = .devnet
        #expect(await StoreOpenCheck(configuration: configuration).findings().map(\.level) == [.fail])
    }

    @Test("a node that is not there is a failure with advice", .timeLimit(.minutes(10)))
    func node() async throws {
        let nodes = NodeConfiguration(urls: [], network: .mainnet)
        let findings = await NodeCheck(url: "http://127.0.0.1:1", nodes: nodes).findings()
        #expect(findings.map(\.level) == [.fail])
        #expect(findings.first?.todo?.contains("--rpclisten") == true)
        #expect(findings.first?.text.hasSuffix(": connection refused") == true, "\(findings)")
    }
}
