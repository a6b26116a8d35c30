import Carriers
import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("doctor: keys")
struct KeyFileCheckTests {
    let samples: ConfigurationSamples

    init() throws {
        samples = try ConfigurationSamples()
    }

    private func findings(_ environment: [String: String]) throws -> [Finding] {
        let configuration = try IndexerConfiguration.load(
            defaultFile: samples.directory.path + "/none.yaml", environment: environment)
        return KeyFileCheck(configuration: configuration).findings()
    }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("without a signing key it says that pushes are not signed")
    func unsigned() throws {
        #expect(try findings([:]) == [Finding(.ok, "signing key", "not configured: pushes are not signed")])
    }

    @Test("a good signing key is named by its id; one of another kind fails")
    func signingKey() throws {
        let key = SigningKey.make()
        let path = try samples.directory.write(key.privateKeyPEM, to: "good.pem")
        try setMode(0o600, of: path)
        #expect(
            try findings(["PUSH_SIGNING_KEY_PATH": path])
                == [Finding(.ok, "signing key", "\(path) can be read, key id \(key.publicKey.keyID)")])
        try setMode(0o600, of: samples.signingKeyPath)
        let bad = try findings(["PUSH_SIGNING_KEY_PATH": samples.signingKeyPath])
        #expect(bad.map(\.level) == [.fail] && bad[0].text == "the signing key is not an Ed25519 key")
        #expect(!"\(bad)".contains("secret"))
    }

    @Test(
        "a key's file that everybody can read is a warning, also behind a link",
        arguments: [0o600, 0o640, 0o604, 0o644])
    func modes(mode: Int) throws {
        let link = samples.directory.path + "/link.pem"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: samples.vapidKeyPath)
        let files = [
            samples.keyPath, samples.tlsKeyPath, samples.serviceAccountPath, samples.vapidKeyPath,
            samples.signingKeyPath, samples.passwordPath,
        ]
        for path in files { try setMode(mode, of: path) }
        var environment = samples.environment
        environment["WEB_PUSH_VAPID_KEY_PATH"] = link
        let warnings = try findings(environment).filter { $0.subject == "key permissions" }
        #expect(warnings.allSatisfy { $0.level == .warn && $0.todo?.hasPrefix("chmod 600 /") == true })
        let expected = mode & 0o004 == 0 ? [] : [files[4], files[0], files[2], link, files[1], files[5]]
        #expect(warnings.map { String($0.todo?.dropFirst("chmod 600 ".count) ?? "") } == expected)
    }
}
