import Foundation
import Testing

@testable import FCM

@Suite("Service accounts")
struct ServiceAccountTests {
    @Test("are read from the file as Google gives it, whatever else is in it")
    func read() throws {
        let account = try SampleAccount.account(["something_new": ["a": 1]])
        #expect(account.projectID == "kasia-test")
        #expect(account.clientEmail == "push@kasia-test.iam.gserviceaccount.com")
        #expect(account.privateKeyID == "0123456789abcdef")
        #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(account.tokenAddress.origin == "https://oauth2.googleapis.com")
        #expect(account.tokenAddress.path == "/token")
        #expect(try account == SampleAccount.account(["type": nil]))
        #expect(try account != SampleAccount.account(["project_id": "another"]))
    }

    @Test("may have line breaks of the key written as backslash and n")
    func writtenLineBreaks() throws {
        let written = SampleAccount.key.replacing("\n", with: "\\n")
        #expect(try SampleAccount.account(["private_key": written]) == SampleAccount.account())
    }

    @Test(
        "without a member are refused with its name",
        arguments: ["project_id", "client_email", "private_key_id", "private_key", "token_uri"],
        [("missing", nil), ("empty", ""), ("empty", " \n"), ("not a text", 7)] as [(String, (any Sendable)?)])
    func members(name: String, mistake: (hint: String, value: (any Sendable)?)) throws {
        let text = try SampleAccount.json([name: mistake.value])
        let error = try #require(throws: ServiceAccountError.self) { try ServiceAccount(json: text) }
        #expect(error.member == name)
        #expect(error.description == "the member \(name) is \(mistake.hint)")
    }

    @Test(
        "with a wrong member are refused with its name",
        arguments: [
            ("type", "authorized_user", "another kind"), ("project_id", "a/b", "project's name"),
            ("project_id", "a b", "printable"), ("project_id", String(repeating: "p", count: 101), "printable"),
            ("client_email", "nobody", "e-mail"), ("private_key_id", "a\nb", "printable"),
            ("token_uri", "http://oauth2.googleapis.com/token", "https"),
            ("token_uri", "https://oauth2.googleapis.com", "https"),
            ("token_uri", "https://oauth2.googleapis.com/", "https"),
            ("token_uri", "https://user@oauth2.googleapis.com/token", "https"),
            ("token_uri", "https://oauth2.googleapis.com/token?a=b", "https"),
            ("token_uri", "https:///token", "https"), ("token_uri", "https://host:0/token", "https"),
            ("token_uri", "https://host:65536/token", "https"),
            ("private_key", "hello", "not PEM"),
            (
                "private_key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----",
                "encrypted"
            ),
            ("private_key", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----", "certificate"),
            ("private_key", "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----", "public key"),
            ("private_key", "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----", "elliptic"),
            ("private_key", "-----BEGIN WHATEVER-----\nAA==\n-----END WHATEVER-----", "does not begin"),
            ("private_key", "-----BEGIN PRIVATE KEY-----\nAA==\n", "cut short"),
            ("private_key", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----", "no RSA key"),
            ("private_key", SampleAccount.shortKey, "2,048 bits"),
            ("private_key", SampleAccount.ellipticKey, "no RSA key"),
        ])
    func wrong(name: String, value: String, hint: String) throws {
        let text = try SampleAccount.json([name: value])
        let error = try #require(throws: ServiceAccountError.self) { try ServiceAccount(json: text) }
        #expect(error.member == name)
        #expect(error.description.contains(hint), "\(error)")
    }

    @Test(
        "in something that is no such file are refused",
        arguments: [
            ("", "empty"), (" \n", "empty"), ("{", "not JSON"), ("[]", "not one JSON object"), ("key", "not JSON"),
            (#"{"type":"service_account","type":"service_account"}"#, "not JSON"),
        ])
    func noFile(text: String, hint: String) throws {
        let error = try #require(throws: ServiceAccountError.self) { try ServiceAccount(json: text) }
        #expect(error.member == nil)
        #expect(error.description.contains(hint), "\(error)")
    }

    @Test("are read up to 64 KiB", arguments: [(-1, true), (0, true), (1, false)])
    func size(difference: Int, isRead: Bool) throws {
        let text = try SampleAccount.json()
        let padded = text + String(repeating: " ", count: ServiceAccount.maximumBytes + difference - text.utf8.count)
        if isRead {
            #expect(try ServiceAccount(json: padded) == ServiceAccount(json: text))
        } else {
            let error = try #require(throws: ServiceAccountError.self) { try ServiceAccount(json: padded) }
            #expect(error.description.contains("65536 bytes"))
        }
    }

    @Test("show their key in no text, and no error repeats it")
    func secret() throws {
        let account = try SampleAccount.account()
        let configuration = FCMConfiguration(account: account)
        var dumped = ""
        dump(configuration, to: &dumped)
        let secret = try #require(SampleAccount.key.split(separator: "\n").dropFirst().first).prefix(20)
        for text in ["\(account)", String(reflecting: account), "\(configuration)", dumped] {
            #expect(!text.contains(secret))
            #expect(!text.contains("PRIVATE KEY"))
        }
        #expect("\(account)" == "service account push@kasia-test.iam.gserviceaccount.com")
        for broken in [
            SampleAccount.key.replacing("-----END", with: "-----FIN"), SampleAccount.key.replacing("MII", with: "MIX"),
            String(SampleAccount.key.dropFirst()),
        ] {
            let text = try SampleAccount.json(["private_key": broken])
            let error = try #require(throws: ServiceAccountError.self) { try ServiceAccount(json: text) }
            #expect(!error.description.contains(secret))
        }
    }
}
