import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("config check and config print")
struct ConfigurationPrintTests {
    let samples: ConfigurationSamples

    init() throws {
        samples = try ConfigurationSamples()
    }

    private func trace(_ yaml: String? = nil, _ environment: [String: String] = [:]) throws -> LoadedConfiguration {
        let file = try yaml.map { try samples.directory.write($0, to: "\(UUID().uuidString).yaml") }
        return try LoadedConfiguration.load(
            file: file, defaultFile: samples.directory.path + "/none.yaml", environment: environment)
    }

    @Test("what is printed is a file with the same configuration")
    func readsBack() throws {
        for loaded in [try trace(), try trace(samples.yaml), try trace(nil, samples.environment)] {
            #expect(try trace(loaded.yaml).configuration == loaded.configuration, "\(loaded.yaml)")
        }
    }

    @Test("each key stands once, with where its value comes from")
    func origins() throws {
        let loaded = try trace("http:\n  port: 1\n  host: '::1'\n", ["HTTP_PORT": "2", "NODE_URLS": "http://a:1"])
        let lines = loaded.yaml.split(separator: "\n").map(String.init)
        #expect(lines.contains("  port: 2  # environment HTTP_PORT"))
        #expect(lines.contains { $0.hasPrefix("  host: \"::1\"  # ") && $0.hasSuffix("yaml line 3") })
        #expect(lines.contains("  urls: \"http://a:1\"  # environment NODE_URLS"))
        #expect(lines.contains("  team_id:  # default"))
        #expect(lines.filter { $0.contains("# ") }.count == ConfigurationKey.allCases.count)
    }

    @Test("a key given as text is masked")
    func secret() throws {
        var variables = samples.environment
        variables["APNS_KEY_PATH"] = nil
        variables["APNS_KEY"] = ConfigurationSamples.pem
        let yaml = try trace(nil, variables).yaml
        #expect(yaml.contains("  key: \"***\"  # environment APNS_KEY"))
        variables["FCM_SERVICE_ACCOUNT_PATH"] = nil
        variables["FCM_SERVICE_ACCOUNT"] = ConfigurationSamples.serviceAccount
        variables["WEB_PUSH_VAPID_KEY_PATH"] = nil
        variables["WEB_PUSH_VAPID_KEY"] = ConfigurationSamples.vapidKey
        let others = try trace(nil, variables).yaml
        #expect(others.contains("  service_account: \"***\"  # environment FCM_SERVICE_ACCOUNT"))
        #expect(others.contains("  vapid_key: \"***\"  # environment WEB_PUSH_VAPID_KEY"))
        #expect(!others.contains("secret") && !others.contains("BEGIN"))
        #expect(!yaml.contains("secret") && !yaml.contains("BEGIN"))
    }

    @Test("a key that is none, and a certificate that is none, are a line each")
    func proof() throws {
        #expect(ConfigurationCheck.problems(of: try trace()).isEmpty)
        let problems = ConfigurationCheck.problems(of: try trace(nil, samples.environment)).map(\.description)
        let expected = [
            "node.ca_path (environment NODE_CA_PATH): ", "http.tls_cert_path (environment HTTP_TLS_CERT_PATH): ",
            "apns.key_path (environment APNS_KEY_PATH): ",
            "fcm.service_account_path (environment FCM_SERVICE_ACCOUNT_PATH): ",
            "web_push.vapid_key_path (environment WEB_PUSH_VAPID_KEY_PATH): ",
            "push.signing_key_path (environment PUSH_SIGNING_KEY_PATH): ",
        ]
        #expect(
            problems.count == expected.count && zip(problems, expected).allSatisfy { $0.hasPrefix($1) }, "\(problems)")
        #expect(!problems.joined().contains("secret") && !problems.joined().contains("\n"))
    }
}
