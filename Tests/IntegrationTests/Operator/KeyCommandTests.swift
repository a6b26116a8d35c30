import Carriers
import Foundation
import Testing
import WebPush

/// `vapid` and `signing-key`: the real executable makes keys and shows them.
@Suite("Commands of keys", .timeLimit(.minutes(10)))
struct KeyCommandTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test("a new key is in a file of its own that nobody else reads, and is never replaced")
    func new() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for command in ["vapid", "signing-key"] {
            let file = folder.appendingPathComponent("\(command).pem").path
            let made = try await Executable.run([command, "new", file])
            let pem = try String(contentsOfFile: file, encoding: .utf8)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(made.status == 0 && mode == 0o600)
            let lines =
                command == "vapid"
                ? ["public key: \(try VAPIDKey(pem: pem).publicKeyText)"]
                : [
                    "public key: \(try SigningKey(pem: pem).publicKey.text)",
                    "key id: \(try SigningKey(pem: pem).publicKey.keyID)",
                ]
            #expect(made.output.split(separator: "\n").map(String.init) == lines)
            let again = try await Executable.run([command, "new", file])
            #expect(again.status == 1 && again.output.contains("cannot be made"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == pem)
            let elsewhere = try await Executable.run([command, "new", folder.path + "/none/key.pem"])
            #expect(elsewhere.status == 1)
        }
    }

    @Test("the configured key is shown by its public half; without one, or with another kind, the exit code is 78")
    func show() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (signing, vapid) = (SigningKey.make(), VAPIDKey.make())
        func write(_ pem: String, to name: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            try Data(pem.utf8).write(to: file)
            return file.path
        }
        let signingFile = try write(signing.privateKeyPEM, to: "signing.pem")
        let vapidFile = try write(vapid.privateKeyPEM, to: "vapid.pem")
        let cases: [(command: String, environment: [String: String], status: Int32, output: String)] = [
            (
                "signing-key", ["PUSH_SIGNING_KEY_PATH": signingFile], 0,
                "public key: \(signing.publicKey.text)\nkey id: \(signing.publicKey.keyID)"
            ),
            ("vapid", ["WEB_PUSH_VAPID_KEY_PATH": vapidFile, "WEB_PUSH_SUBJECT": "https://a"], 0, vapid.publicKeyText),
            (
                "signing-key", [:], 78,
                "push.signing_key_path is not set: make a key with kasia-push-indexer signing-key new FILE"
            ),
            ("vapid", [:], 78, "web_push.* is not set: make a key with kasia-push-indexer vapid new FILE"),
            (
                "signing-key", ["PUSH_SIGNING_KEY_PATH": vapidFile], 78,
                "push.signing_key_path: the signing key is not an Ed25519 key"
            ),
            (
                "vapid", ["WEB_PUSH_VAPID_KEY_PATH": signingFile, "WEB_PUSH_SUBJECT": "https://a"], 78,
                "web_push.vapid_key or web_push.vapid_key_path: the VAPID key is not of the curve P-256"
            ),
        ]
        for (command, environment, status, output) in cases {
            let shown = try await Executable.run([command, "show"], environment: environment)
            #expect(shown.status == status && shown.output == output + "\n", "\(shown.output)")
        }
        for command in [["config", "check"], ["serve"]] {
            let environment = [
                "PUSH_SIGNING_KEY_PATH": vapidFile, "STORE_PATH": folder.path + "/store", "HTTP_PORT": "0",
            ]
            let refused = try await Executable.run(command, environment: environment)
            #expect(refused.status == 78 && refused.output.contains("push.signing_key_path"), "\(refused.output)")
        }
    }
}
