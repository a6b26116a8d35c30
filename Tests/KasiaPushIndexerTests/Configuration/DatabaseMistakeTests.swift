import PostgresStore
import Testing

@testable import KasiaPushIndexer

@Suite("Mistakes in store.url, store.password_path and store.standby")
struct DatabaseMistakeTests {
    private static let url = "postgresql://kasia@db/kasia"

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The lines that a load fails with; none if it does not fail.
    private func mistakes(_ environment: [String: String]) -> [String] {
        do {
            _ = try IndexerConfiguration.load(
                file: nil, defaultFile: directory.path + "/none.yaml", environment: environment)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    @Test(
        "URLs as libpq takes them are taken as they are",
        arguments: [
            url, "postgres://kasia@db/kasia", "postgresql:///kasia", "postgresql://db1,db2:5433,[::1]:5432/kasia",
            "postgresql://kasia@%2Fvar%2Frun%2Fpostgresql/kasia?sslmode=verify-full&target_session_attrs=read-write",
        ])
    func good(url: String) throws {
        let configuration = try IndexerConfiguration.load(
            file: nil, defaultFile: directory.path + "/none.yaml", environment: ["STORE_URL": url])
        #expect(configuration.store.url == url)
        #expect(configuration.store.server?.url == url)
    }

    @Test(
        "a URL that cannot be used is one line with the reason, which shows nothing of it",
        arguments: [
            ("https://hunter2.example", "it does not begin with postgresql://"),
            ("mysql://hunter2@db/kasia", "it does not begin with postgresql://"),
            ("host=db password=hunter2", "it does not begin with postgresql://"),
            ("POSTGRESQL://hunter2", "it does not begin with postgresql://"),
            ("postgresql://kasia:hunter2@db/kasia", "it holds a password"),
            ("postgresql://db/kasia?password=hunter2", "it holds a password"),
            ("postgresql://db/kasia?p%61ssword=hunter2", "it holds a password"),
            ("postgresql://db/kasia?sslkey=k&sslpassword=hunter2", "it holds a secret (sslpassword)"),
            ("postgresql://db/kasia?oauth_client_secret=hunter2", "it holds a secret (oauth_client_secret)"),
            ("postgresql://db/kasia?hunter2=1", "The connection URL cannot be read"),
            ("postgresql://kasia:hunter2/with@slash@db:x/kasia", "The connection URL"),
            ("postgresql://db1,db2:1,db3:2/kasia?user=hunter2&port=1,2", "unequal numbers"),
        ])
    func bad(url: String, reason: String) {
        let lines = mistakes(["STORE_URL": url])
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasPrefix("store.url (environment STORE_URL): a URL, not shown, is not allowed: ") == true,
            "\(lines)")
        #expect(lines.first?.contains(reason) == true, "\(lines)")
        #expect(lines.first?.contains("hunter2") == false, "\(lines)")
    }

    @Test("a URL has at most 4096 bytes", arguments: [-1, 0, 1])
    func length(beyond: Int) {
        let rest = 4_096 - Self.url.utf8.count + beyond
        let lines = mistakes(["STORE_URL": Self.url + String(repeating: "a", count: rest)])
        #expect(lines.isEmpty == (beyond <= 0))
        #expect(lines.allSatisfy { $0.contains("it has 4097 bytes") })
    }

    @Test("a password's file has at most 4096 bytes", arguments: [-1, 0, 1])
    func passwordLength(beyond: Int) throws {
        let path = try directory.write(String(repeating: "a", count: 4_096 + beyond), to: "password")
        let lines = mistakes(["STORE_URL": Self.url, "STORE_PASSWORD_PATH": path])
        #expect(lines.isEmpty == (beyond <= 0))
        #expect(lines.allSatisfy { $0.contains("it is larger than 4096 bytes") })
    }

    @Test("a password's file that cannot be used says why, and shows nothing of what is in it")
    func passwordFiles() throws {
        func line(_ path: String) throws -> String {
            let lines = mistakes(["STORE_URL": Self.url, "STORE_PASSWORD_PATH": path])
            #expect(lines.count == 1)
            return try #require(lines.first)
        }
        #expect(try line("/no/such/file").contains("\"/no/such/file\" is not allowed: there is no such file"))
        #expect(try line(directory.path).contains("it is a directory"))
        for text in ["", "\n", "\nhunter2", "\r\nhunter2"] {
            let words = try line(try directory.write(text, to: "empty"))
            #expect(words.contains("its first line is empty") && !words.contains("hunter2"))
        }
        // A password in place of its path.
        #expect(try !line("hunter2").contains("hunter2"))
        for text in ["a", "a\n", "a\r\nb", " \n"] {
            let path = try directory.write(text, to: "password")
            #expect(mistakes(["STORE_URL": Self.url, "STORE_PASSWORD_PATH": path]) == [])
        }
    }

    @Test("a password without a URL is one line")
    func passwordAlone() throws {
        let path = try directory.write("hunter2\n", to: "password")
        #expect(
            mistakes(["STORE_PASSWORD_PATH": path, "STORE_URL": ""]) == [
                "store.password_path (environment STORE_PASSWORD_PATH): store.password_path is set without store.url; "
                    + "allowed: both, or store.url alone"
            ])
        #expect(mistakes(["STORE_PASSWORD_PATH": "", "STORE_URL": ""]) == [])
    }

    @Test("sharing out without a URL is one line; 1 to 16 with one are none")
    func shardsAlone() {
        #expect(
            mistakes(["STORE_SHARDS": "2", "STORE_URL": ""]) == [
                "store.shards (environment STORE_SHARDS): store.shards is 2 without store.url; allowed: 1, as a directory "
                    + "belongs to one process"
            ])
        #expect(mistakes(["STORE_SHARDS": "1"]) == [])
        for value in ["1", "2", "15", "16"] {
            #expect(mistakes(["STORE_SHARDS": value, "STORE_URL": Self.url]) == [])
        }
        for value in ["0", "17", "", "many"] {
            let lines = mistakes(["STORE_SHARDS": value, "STORE_URL": Self.url])
            #expect(
                lines.count == 1 && lines[0].hasSuffix("is not allowed; allowed: a whole number from 1 to 16"),
                "\(lines)")
        }
    }

    @Test("standing by without a URL is one line; not standing by is none")
    func standbyAlone() {
        #expect(
            mistakes(["STORE_STANDBY": "true", "STORE_URL": ""]) == [
                "store.standby (environment STORE_STANDBY): store.standby is true without store.url; allowed: false, as "
                    + "a directory belongs to one machine"
            ])
        for value in ["true", "TRUE", "false"] {
            #expect(mistakes(["STORE_STANDBY": value, "STORE_URL": Self.url]) == [])
        }
        #expect(mistakes(["STORE_STANDBY": "False"]) == [])
        for value in ["yes", "1", ""] {
            let lines = mistakes(["STORE_STANDBY": value, "STORE_URL": Self.url])
            #expect(lines.count == 1 && lines[0].hasSuffix("is not allowed; allowed: true or false"), "\(lines)")
        }
    }

    @Test("what is printed of a server is where it is and who connects")
    func place() throws {
        let path = try directory.write("hunter2\n", to: "password")
        let environment = [
            "STORE_URL": "postgresql://kasia@db1,db2:5433/push?sslmode=require", "STORE_PASSWORD_PATH": path,
        ]
        let loaded = try LoadedConfiguration.load(
            file: nil, defaultFile: directory.path + "/none.yaml", environment: environment)
        #expect(loaded.configuration.store.place == "store.url db1,db2:5433, database push, user kasia")
        #expect(loaded.yaml.contains("url: \"postgresql://kasia@db1,db2:5433/push?sslmode=require\""))
        #expect(loaded.yaml.contains(path) && !loaded.yaml.contains("hunter2"))
        #expect(IndexerConfiguration().store.place == "store.path ./data")
    }
}
