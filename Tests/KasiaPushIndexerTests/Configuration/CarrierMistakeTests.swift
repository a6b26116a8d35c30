import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("Mistakes in the credentials of FCM, Web Push and signed pushes")
struct CarrierMistakeTests {
    let samples: ConfigurationSamples

    init() throws {
        samples = try ConfigurationSamples()
    }

    private func load(_ environment: [String: String]) throws -> IndexerConfiguration {
        try IndexerConfiguration.load(defaultFile: samples.directory.path + "/none.yaml", environment: environment)
    }

    /// The lines that a load fails with; none if it does not fail.
    private func mistakes(_ environment: [String: String]) -> [String] {
        do {
            _ = try load(environment)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    private func mistakes(of file: String, _ key: ConfigurationKey) throws -> [String] {
        mistakes([key.environmentName: try samples.directory.write(file, to: "credential")])
    }

    // MARK: FCM

    @Test(
        "a service account that is no JSON object says what it is instead, and is never shown",
        arguments: [
            ("  \n", "the service account is empty"), ("secret", "the service account is not a JSON object"),
            ("[\"secret\"]", "the service account is not a JSON object"),
            ("{\"secret\": 1", "the service account is not a JSON object"),
            (
                "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----",
                "is a PEM text; Google's whole JSON file"
            ),
        ])
    func serviceAccounts(text: String, words: String) throws {
        let file = try mistakes(of: text, .fcmServiceAccountPath)
        #expect(
            file.count == 1 && file[0].hasPrefix("fcm.service_account_path (environment FCM_SERVICE_ACCOUNT_PATH): "))
        #expect(file.allSatisfy { $0.contains(words) && $0.hasSuffix("with a service account in JSON (Google's)") })
        var lines = file
        if !text.allSatisfy(\.isWhitespace) {
            lines = mistakes(["FCM_SERVICE_ACCOUNT": text])
            #expect(
                lines.count == 1 && lines[0].hasPrefix("fcm.service_account (environment FCM_SERVICE_ACCOUNT): *** "))
            #expect(lines.allSatisfy { $0.contains(words) })
        }
        #expect((file + lines).allSatisfy { !$0.contains("secret") })
    }

    @Test("a service account and a VAPID key may have 64 KiB, and no byte more", arguments: [-1, 0, 1])
    func credentialSize(difference: Int) throws {
        func filled(_ start: String, _ end: String) -> String {
            start + String(repeating: "x", count: 65_536 + difference - start.utf8.count - end.utf8.count) + end
        }
        let account = filled("{\"a\":\"", "\"}")
        let key = filled("-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY-----")
        let files = [
            try mistakes(of: account, .fcmServiceAccountPath),
            mistakes([
                "WEB_PUSH_VAPID_KEY_PATH": try samples.directory.write(key, to: "key.pem"),
                "WEB_PUSH_SUBJECT": "https://a",
            ]),
        ]
        let texts = [
            mistakes(["FCM_SERVICE_ACCOUNT": account]),
            mistakes(["WEB_PUSH_VAPID_KEY": key, "WEB_PUSH_SUBJECT": "https://a"]),
        ]
        for (lines, words) in zip(files + texts, ["it is", "it is", "the service account is", "the VAPID key is"]) {
            guard difference > 0 else {
                #expect(lines == [])
                continue
            }
            #expect(
                lines.count == 1 && lines[0].contains("\(words) larger than 65536 bytes"),
                "\(lines.map { $0.prefix(300) })")
        }
    }

    @Test("the rest of the section is checked, and shown, without a service account")
    func withoutAccount() throws {
        let configuration = try load(["FCM_CONNECTIONS": "3", "WEB_PUSH_STREAMS": "3"])
        #expect(configuration.fcm == nil && configuration.webPush == nil)
        #expect(mistakes(["FCM_CONNECTIONS": "0", "WEB_PUSH_STREAMS": "0"]).count == 2)
    }

    // MARK: Both

    @Test(
        "both forms of a credential are one too many",
        arguments: [
            (ConfigurationKey.fcmServiceAccountPath, ConfigurationKey.fcmServiceAccount),
            (.webPushVAPIDKeyPath, .webPushVAPIDKey),
        ])
    func twoForms(file: ConfigurationKey, text: ConfigurationKey) {
        var variables = samples.environment
        variables[text.environmentName] = "x"
        #expect(
            mistakes(variables) == [
                "\(file.rawValue) (environment \(file.environmentName)): \(file.rawValue) and \(text.rawValue) are both "
                    + "set; allowed: one of them"
            ])
    }

    @Test(
        "a credential's text in place of its path is refused and never shown",
        arguments: [ConfigurationKey.fcmServiceAccountPath, .webPushVAPIDKeyPath, .pushSigningKeyPath],
        [ConfigurationSamples.serviceAccount, ConfigurationSamples.vapidKey, ConfigurationSamples.pem])
    func textInPlaceOfPath(key: ConfigurationKey, text: String) {
        let lines = mistakes([key.environmentName: text, "WEB_PUSH_SUBJECT": ""])
        let refusals = lines.filter { $0.contains("a value that looks like a key, not shown, is not allowed: ") }
        #expect(refusals.count == 1 && lines.allSatisfy { !$0.contains("secret") }, "\(lines)")
    }

    @Test(
        "a credential's file that cannot be read says why",
        arguments: [ConfigurationKey.fcmServiceAccountPath, .webPushVAPIDKeyPath, .pushSigningKeyPath])
    func files(key: ConfigurationKey) {
        for (path, words) in [
            ("/no/such/file", "there is no such file"), (samples.directory.path, "it is a directory"),
        ] {
            let lines = mistakes([key.environmentName: path])
            #expect(lines.contains { $0.contains("is not allowed: \(words); allowed: a file that can be read") })
        }
    }

    // MARK: Signed pushes

    @Test(
        "a signing key that is no private key in PKCS#8 is refused and never shown",
        arguments: [
            (" ", "the signing key is empty"), ("secret\nsecret\nsecret", "is not a private key in PEM form"),
            (
                "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
                "has nothing between its first and its last line"
            ),
            (ConfigurationSamples.vapidKey, "is not a private key in PEM form"),
            ("-----BEGIN PUBLIC KEY-----\nsecret\n-----END PUBLIC KEY-----", "is not a private key in PEM form"),
            (
                "-----BEGIN PRIVATE KEY-----\n" + String(repeating: "s", count: 65_536)
                    + "\n-----END PRIVATE KEY-----", "it is larger than 65536 bytes"
            ),
        ])
    func signingKeys(text: String, words: String) throws {
        let lines = try mistakes(of: text, .pushSigningKeyPath)
        #expect(lines.count == 1 && lines[0].contains(words), "\(lines)")
        #expect(lines[0].hasPrefix("push.signing_key_path (environment PUSH_SIGNING_KEY_PATH): "))
        #expect(lines[0].hasSuffix("allowed: a file that can be read, with an Ed25519 private key in PEM form"))
        #expect(!lines[0].contains("secret"))
    }

    // MARK: Web Push

    @Test(
        "a VAPID key that is no private key in PEM form is refused and never shown",
        arguments: [
            (" ", "the VAPID key is empty"), ("secret\nsecret\nsecret", "is not a private key in PEM form"),
            (
                "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
                "has nothing between its first and its last line"
            ),
            ("-----BEGIN PUBLIC KEY-----\nsecret\n-----END PUBLIC KEY-----", "is not a private key in PEM form"),
            ("-----BEGIN PRIVATE KEY-----\nsecret\n-----END EC PRIVATE KEY-----", "is not a private key in PEM form"),
            ("x\n-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----", "is not a private key in PEM form"),
        ])
    func vapidKeys(text: String, words: String) throws {
        let path = try samples.directory.write(text, to: "key.pem")
        let file = mistakes(["WEB_PUSH_VAPID_KEY_PATH": path, "WEB_PUSH_SUBJECT": "https://a"])
        #expect(file.count == 1 && file[0].contains(words), "\(file)")
        guard text != " " else { return }
        let lines = mistakes(["WEB_PUSH_VAPID_KEY": text, "WEB_PUSH_SUBJECT": "https://a"])
        #expect(lines.count == 1 && lines[0].contains(words), "\(lines)")
        #expect(lines[0].hasPrefix("web_push.vapid_key (environment WEB_PUSH_VAPID_KEY): *** is not allowed: "))
        #expect((file + lines).allSatisfy { !$0.contains("secret") })
    }

    @Test("a VAPID key without a subject, or a subject without a key, is one line that names what is missing")
    func incomplete() {
        let allowed =
            "is missing; allowed: web_push.subject and one of web_push.vapid_key_path, web_push.vapid_key, or none of them"
        for key in [
            "WEB_PUSH_VAPID_KEY_PATH": samples.vapidKeyPath, "WEB_PUSH_VAPID_KEY": ConfigurationSamples.vapidKey,
        ] {
            #expect(
                mistakes([key.key: key.value]) == [
                    "web_push.subject (not set): web_push.subject (WEB_PUSH_SUBJECT) \(allowed)"
                ])
        }
        #expect(
            mistakes(["WEB_PUSH_SUBJECT": "https://a"]) == [
                "web_push.vapid_key_path (not set): web_push.vapid_key_path or web_push.vapid_key "
                    + "(WEB_PUSH_VAPID_KEY_PATH or WEB_PUSH_VAPID_KEY) \(allowed)"
            ])
    }

    private func subject(_ text: String) -> [String] {
        mistakes(["WEB_PUSH_VAPID_KEY_PATH": samples.vapidKeyPath, "WEB_PUSH_SUBJECT": text])
    }

    @Test("a subject is a mailto: or https: URL")
    func subjects() {
        for good in [
            "mailto:a@b", "mailto:push+1@example.org", "https://a", "https://example.org/contact?x", "https://a:8443/",
        ] { #expect(subject(good) == [], "\(good)") }
        for bad in [
            "a@b", "mailto:", "mailto:a", "mailto:@b", "mailto:a@", "mailto:a@b@c", "mailto:a @b", "mailto:<a@b>",
            "http://a", "https://", "https:///x", "tel:1", "https://a b", "mailto:ä@b", "mailto:a\"@b",
        ] {
            let lines = subject(bad)
            let allowed = "; allowed: mailto:NAME@HOST or an https URL, at most 255 bytes without spaces and quotes"
            #expect(lines.count == 1 && lines[0].hasSuffix(allowed), "\(bad): \(lines)")
            #expect(lines[0].hasPrefix("web_push.subject (environment WEB_PUSH_SUBJECT): "), "\(bad)")
        }
        for (count, isAllowed) in [(254, true), (255, true), (256, false)] {
            let text = "https://a/" + String(repeating: "x", count: count - 10)
            #expect(subject(text).isEmpty == isAllowed)
        }
    }

    private func origins(_ text: String) throws -> [String]? {
        try load([
            "WEB_PUSH_VAPID_KEY_PATH": samples.vapidKeyPath, "WEB_PUSH_SUBJECT": "https://a",
            "WEB_PUSH_ALLOWED_ORIGINS": text,
        ]).webPush?.connection.allowedOrigins
    }

    @Test("allowed origins are written in lower case, without the usual port")
    func originForms() throws {
        #expect(
            try origins(
                "https://A.example, HTTPS://b.example:443/,https://c.example:8443,https://[::1]:9,https://10.0.0.1")
                == [
                    "https://a.example", "https://b.example", "https://c.example:8443", "https://[::1]:9",
                    "https://10.0.0.1",
                ])
        #expect(try origins("https://*.Example.org:443 ,*") == ["https://*.example.org", "*"])
        #expect(try origins("HTTPS://*.a.b:1") == ["https://*.a.b:1"])
    }

    @Test("there are 1 to 64 allowed origins", arguments: [0, 1, 63, 64, 65])
    func originCount(count: Int) throws {
        let text = (0..<count).map { "https://o\($0)" }.joined(separator: ",")
        let lines = mistakes(["WEB_PUSH_ALLOWED_ORIGINS": text])
        #expect((1...64).contains(count) ? lines == [] : lines.count == 1 && lines[0].contains("1 to 64 items"))
    }
}
