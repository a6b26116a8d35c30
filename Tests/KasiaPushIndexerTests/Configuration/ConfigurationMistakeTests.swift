import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("Mistakes in the configuration")
struct ConfigurationMistakeTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The lines that a load fails with; none if it does not fail.
    private func load(_ environment: [String: String]) throws -> IndexerConfiguration {
        try IndexerConfiguration.load(
            file: nil, defaultFile: directory.path + "/none.yaml", environment: environment)
    }

    private func mistakes(file: String? = nil, _ environment: [String: String]) -> [String] {
        do {
            _ = try IndexerConfiguration.load(
                file: file, defaultFile: directory.path + "/none.yaml", environment: environment)
            return []
        } catch {
            let lines = error.description.split(separator: "\n").map(String.init)
            #expect(lines.count == error.problems.count)
            return lines
        }
    }

    private func mistakes(yaml: String, _ environment: [String: String] = [:]) throws -> [String] {
        let file = try directory.write(yaml, to: "indexer.yaml")
        return mistakes(file: file, environment).map { $0.replacing(file, with: "FILE") }
    }

    private static func shown(
        _ key: ConfigurationKey, _ value: String, _ allowed: String, because complaint: String? = nil
    ) -> String {
        let reason = complaint.map { ": \($0)" } ?? ""
        return "\(key.rawValue) (environment \(key.environmentName)): \"\(value)\" is not allowed\(reason); "
            + "allowed: \(allowed)"
    }

    @Test(
        "a limit holds at its edge and one past it is one line with key, variable, value and what is allowed",
        arguments: [
            (
                ConfigurationKey.httpPort, ["0", "1", "65534", "65535"], ["-1", "65536"],
                "a whole number from 0 to 65535"
            ),
            (
                .httpRateLimitPerMinute, ["0", "1", "999999", "1000000"], ["-1", "1000001"],
                "a whole number from 0 to 1000000"
            ),
            (
                .httpMaxConnections, ["1", "2", "99999", "100000"], ["0", "100001"],
                "a whole number from 1 to 100000"
            ),
            (
                .storeMinFreeSpace, ["0", "1", "1048575GiB", "1024TiB", "1125899906842624"],
                ["1125899906842625", "1025TiB"],
                "a number of bytes from 0 to 1024TiB, such as 1048576, 256MiB or 2GiB"
            ),
            (
                .storeRetention, ["86400000ms", "86400001ms", "24h", "36499d", "36500d"], ["86399999ms", "36501d"],
                "a duration from 24h to 36500d, such as 500ms, 10s, 15m, 24h or 2d"
            ),
            (.apnsConnections, ["1", "2", "15", "16"], ["0", "17"], "a whole number from 1 to 16"),
            (.apnsStreams, ["1", "2", "999", "1000"], ["0", "1001"], "a whole number from 1 to 1000"),
            (
                .fcmMessagesPerMinute, ["1", "2", "9999999", "10000000"], ["0", "10000001"],
                "a whole number from 1 to 10000000"
            ),
            (.fcmConnections, ["1", "2", "15", "16"], ["0", "17"], "a whole number from 1 to 16"),
            (.fcmStreams, ["1", "2", "999", "1000"], ["0", "1001"], "a whole number from 1 to 1000"),
            (.webPushConnections, ["1", "2", "3", "4"], ["0", "5"], "a whole number from 1 to 4"),
            (.webPushStreams, ["1", "2", "999", "1000"], ["0", "1001"], "a whole number from 1 to 1000"),
            (.webPushPrivateAddresses, ["true", "FALSE"], ["", "yes", "1"], "true or false"),
            (.pushMaxPayloadBytes, ["1", "2", "3499", "3500"], ["0", "3501"], "a whole number from 1 to 3500"),
            (
                .pushConfirmations, ["0", "1", "999999", "1000000"], ["-1", "1000001"],
                "a whole number from 0 to 1000000"
            ),
            (.pushInvalidTokenStrikes, ["1", "2", "999", "1000"], ["0", "1001"], "a whole number from 1 to 1000"),
            (
                .pushMaxAge, ["1s", "1001ms", "36499d", "36500d"], ["999ms", "0s", "36501d", "3153600001s"],
                "a duration from 1s to 36500d, such as 500ms, 10s, 15m, 24h or 2d"
            ),
            (
                .pushExpiration, ["1s", "1001ms", "364d", "365d"], ["999ms", "31536001s"],
                "a duration from 1s to 365d, such as 500ms, 10s, 15m, 24h or 2d"
            ),
            (
                .pushBroadcastChannels,
                ["", "a", " Kaspa ,b", "abcdefghijklmnopqrstuvwxyz0123456789"],
                ["a b", "a:b", "abcdefghijklmnopqrstuvwxyz0123456789+"],
                "channel names separated by commas, each of 1 to 36 characters without white space or colons"
            ),
            (.pushRetractions, ["true", "false", "True"], ["yes", "1", "on"], "true or false"),
            (
                .pushDrainTimeout, ["0s", "1ms", "3599s", "1h"], ["3601s", "3600001ms"],
                "a duration from 0s to 1h, such as 500ms, 10s, 15m, 24h or 2d"
            ),
        ])
    func limits(key: ConfigurationKey, good: [String], bad: [String], allowed: String) {
        for value in good { #expect(mistakes([key.environmentName: value]) == []) }
        for value in bad { #expect(mistakes([key.environmentName: value]) == [Self.shown(key, value, allowed)]) }
    }

    @Test(
        "a value of the wrong shape is one line",
        arguments: [
            (
                ConfigurationKey.networkType, ["", "Mainnet", "testnet-", "testnet-x", "kaspa"],
                "mainnet, testnet, testnet-N, devnet, simnet"
            ),
            (.httpPort, ["", "http", "80.0", "0x50", "8 0", "99999999999999999999"], "a whole number from 0 to 65535"),
            (
                .httpHost,
                ["", "a b", "[::1]", "host:80", "-a", "a..b", "http://a", String(repeating: "a", count: 64)],
                "an IP address or a host name, without port"
            ),
            (
                .httpTrustedProxies, ["10.0.0.0/33", "proxy.example", "10.0.0"],
                "IP addresses or CIDR blocks separated by commas, such as 127.0.0.1 or 10.0.0.0/8"
            ),
            (
                .nodeURLs,
                [
                    "127.0.0.1:16110", "grpc://a:1", "http://", "http://:1", "http://a:0", "http://a:65536",
                    "http://a:",
                    "http://a/b", "http://a?b", "http://a b", "http://[::1", "http://[10.0.0.1]:1", "http://a:+1",
                ],
                "http://HOST[:PORT] or https://HOST[:PORT], without user name, path or query"
            ),
            (
                .apnsEndpoint, ["http://127.0.0.1:1", "127.0.0.1", "https://", "https://a/3/device"],
                "https://HOST[:PORT], without user name, path or query"
            ),
            (
                .apnsSandboxEndpoint, ["http://127.0.0.1:1", "127.0.0.1", "https://", "https://a/3/device"],
                "https://HOST[:PORT], without user name, path or query"
            ),
            (
                .apnsProductionEndpoint, ["http://127.0.0.1:1", "127.0.0.1", "https://", "https://a/3/device"],
                "https://HOST[:PORT], without user name, path or query"
            ),
            (.apnsEnvironment, ["", "development"], "sandbox, production"),
            (
                .fcmEndpoint, ["", "http://127.0.0.1:1", "127.0.0.1", "https://", "https://a/v1"],
                "https://HOST[:PORT], without user name, path or query"
            ),
            (
                .webPushAllowedOrigins,
                [
                    "push.example.org", "http://a.b", "https://", "https://a/b", "https://*", "https://*.", "**",
                    "https://*.*.a.b", "https://a.*.b", "https://*a.b", "https://*.10.0.0.1",
                    "https://*.[::1]", "https://a_b.c", "https://10.0.1", "https://a.0x7f", "https://*.1",
                    "https://a:0",
                ],
                "https://HOST[:PORT], https://*.HOST[:PORT] or *, separated by commas"
            ),
            (.pushAuthMode, ["", "none"], "legacy, mixed, strict"),
            (.pushPayloadFormat, ["", "json"], "kasia, kachat"),
            (
                .pushMaxAge, ["", "24", "h", "-1h", "1.5h", "1 h", "1w", "24H", "1h30m", "9223372036854775807d", "٣h"],
                "a duration from 1s to 36500d, such as 500ms, 10s, 15m, 24h or 2d"
            ),
            (.storePath, [""], "a path of at most 4096 bytes"),
            (
                .storeMinFreeSpace,
                [
                    "", "MiB", "-1", "1.5GiB", "1 MiB", "1MB", "1mib", "1K", "18446744073709551616", "16777216TiB",
                    "٣MiB",
                ],
                "a number of bytes from 0 to 1024TiB, such as 1048576, 256MiB or 2GiB"
            ),
            (.logLevel, ["", "verbose"], "trace, debug, info, notice, warning, error, critical"),
            (.logFormat, ["", "xml"], "text, json"),
        ])
    func shapes(key: ConfigurationKey, bad: [String], allowed: String) {
        for value in bad where !(value.isEmpty && key.isList) {
            #expect(mistakes([key.environmentName: value]) == [Self.shown(key, value, allowed)])
        }
    }

    @Test(
        "good values of every shape are taken",
        arguments: [
            (ConfigurationKey.networkType, "testnet"), (.networkType, "simnet"), (.httpHost, "::1"),
            (.httpHost, "db_1.local"),
            (.nodeURLs, "http://[::1]:16110/"), (.nodeURLs, "HTTPS://Node.Example"),
            (.nodeURLs, " http://a:1 , http://b:2 "),
            (.httpTrustedProxies, "10.0.0.1, fd00::/8"), (.pushMaxAge, "1440m"), (.logLevel, "WARNING"),
            (.httpPort, " 80\n"),
            (.apnsEndpoint, ""), (.apnsSandboxEndpoint, ""), (.apnsProductionEndpoint, "https://a"),
            (.storeRetention, ""),
        ])
    func good(key: ConfigurationKey, value: String) {
        #expect(mistakes([key.environmentName: value]) == [])
    }

    @Test("lists have their limits: 1 to 32 nodes, 0 to 256 proxies")
    func listLimits() {
        func urls(_ count: Int) -> [String] {
            mistakes(["NODE_URLS": (0..<count).map { "http://n\($0)" }.joined(separator: ",")])
        }
        #expect(urls(0).count == 1 && urls(0)[0].contains("1 to 32 items"))
        #expect(urls(1) == [] && urls(31) == [] && urls(32) == [])
        #expect(urls(33).count == 1 && urls(33)[0].contains("1 to 32 items"))
        func proxies(_ count: Int) -> [String] {
            mistakes(["HTTP_TRUSTED_PROXIES": (0..<count).map { "10.0.0.\($0 % 256)" }.joined(separator: ",")])
        }
        #expect(proxies(0) == [] && proxies(255) == [] && proxies(256) == [])
        #expect(proxies(257).count == 1 && proxies(257)[0].contains("0 to 256 items"))
    }

    @Test("each bad item of a list is a line of its own, an empty one too")
    func listItems() {
        let lines = mistakes(["NODE_URLS": "http://a:1,b,,ftp://c"])
        #expect(lines.count == 3)
        #expect(zip(lines, ["\"b\"", "\"\"", "\"ftp://c\""]).allSatisfy { $0.contains($1) })
    }

    @Test("streams leave a connection for calls: without a value half, with one all but one")
    func streams() throws {
        let (allowed, refused) = ("9", ["10", "100000"])
        var variables = ["HTTP_MAX_CONNECTIONS": "10", "HTTP_MAX_STREAMS": allowed]
        #expect(try load(variables).http.maxStreams == 9)
        for value in refused {
            variables["HTTP_MAX_STREAMS"] = value
            let line =
                "http.max_streams (environment HTTP_MAX_STREAMS): \(value) is not allowed; allowed: less than "
                + "http.max_connections, which is 10"
            #expect(mistakes(variables) == [line])
        }
        for (connections, streams) in [(1, 0), (2, 1), (511, 255), (512, 256), (1_000, 256)] {
            #expect(try load(["HTTP_MAX_CONNECTIONS": "\(connections)"]).http.maxStreams == streams)
        }
    }

    @Test(
        "an explorer's link is a URL with a place for the transaction",
        arguments: ["https://x.example/{tx_id}", "http://x/{tx_id}#top", "none"])
    func explorer(_ text: String) throws {
        #expect(try load(["HTTP_EXPLORER_URL": text]).http.explorerURL == text)
        for wrong in ["https://x.example/", "ftp://x/{tx_id}", "https://x /{tx_id}", "None"] {
            let allowed = "an http or https URL of at most 512 bytes with {tx_id} in it, or none"
            #expect(mistakes(["HTTP_EXPLORER_URL": wrong]) == [Self.shown(.httpExplorerURL, wrong, allowed)])
        }
        let long = "https://x/{tx_id}" + String(repeating: "x", count: 512 - 17)
        #expect(try load(["HTTP_EXPLORER_URL": long]).http.explorerURL == long)
        #expect(mistakes(["HTTP_EXPLORER_URL": long + "x"]).count == 1)
    }

    @Test("all mistakes are told at once, those of the file's shape first, then by key")
    func allAtOnce() throws {
        let lines = try mistakes(
            yaml: """
                http:
                  port: 70000
                  prot: 80
                push:
                  max_payload_bytes: 9999
                """,
            ["NETWORK_TYPE": "moon", "LOG_LEVEL": "loud"])
        #expect(
            lines == [
                #"FILE line 3: unknown key "http.prot"; known in http: host, port, trusted_proxies, rate_limit_per_minute, max_connections, max_streams, host_names, explorer_url, tls_cert_path, tls_key_path"#,
                Self.shown(.networkType, "moon", "mainnet, testnet, testnet-N, devnet, simnet"),
                #"http.port (FILE line 2): "70000" is not allowed; allowed: a whole number from 0 to 65535"#,
                #"push.max_payload_bytes (FILE line 5): "9999" is not allowed; allowed: a whole number from 1 to 3500"#,
                Self.shown(.logLevel, "loud", "trace, debug, info, notice, warning, error, critical"),
            ])
    }

    @Test(
        "what does not belong in the file is named with its line",
        arguments: [
            (
                "htpt:\n  port: 1",
                #"FILE line 1: unknown section "htpt"; known: network, node, store, http, apns, fcm, web_push, push, log"#
            ),
            (
                "http.port: 1",
                #"FILE line 1: unknown section "http.port"; known: network, node, store, http, apns, fcm, web_push, push, log"#
            ),
            ("\nlog:\n  level:\n    deep: 1", "FILE line 4: log.level wants one value"),
            ("log:\n  level: [info]", "FILE line 2: log.level wants one value"),
            ("node:\n  urls:\n    - [http://a]", "FILE line 3: node.urls wants a value or a list of values"),
            ("log: info", "FILE line 1: log wants a section with the keys level, format"),
            ("- a\n- b", "FILE line 1: wants sections: network, node, store, http, apns, fcm, web_push, push, log"),
            ("hello", "FILE line 1: wants sections: network, node, store, http, apns, fcm, web_push, push, log"),
            ("log:\n  level.x: 1", #"FILE line 2: unknown key "log.level.x"; known in log: level, format"#),
            ("log:\n  Level: info", #"FILE line 2: unknown key "log.Level"; known in log: level, format"#),
            ("log:\n  [a]: info", #"FILE line 2: unknown key "log.…"; known in log: level, format"#),
        ])
    func fileShape(yaml: String, line: String) throws {
        #expect(try mistakes(yaml: yaml) == [line])
    }

    @Test(
        "a file that is not YAML is one line that says where",
        arguments: [
            ("log: {level: info", "FILE: is not valid YAML: line 2: "),
            ("a:\n\t- b", "FILE: is not valid YAML: line 2: "),
            ("log:\n  level: info\nlog:\n  format: text", "FILE: is not valid YAML: line "),
            ("log: {}\n---\nlog: {}", "FILE: is not valid YAML: line "),
        ])
    func invalidYAML(yaml: String, prefix: String) throws {
        let lines = try mistakes(yaml: yaml)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix(prefix) == true, "\(lines)")
    }

    @Test(
        "an empty file, comments only, and empty sections are fine",
        arguments: [
            "", "# nothing\n", "---\n", "http:\nlog:\n  level:\n  format: ~\n", "{}",
        ])
    func emptyFiles(yaml: String) throws {
        #expect(try mistakes(yaml: yaml) == [])
    }

    @Test("a file that was named must exist and be readable text")
    func unreadableFiles() throws {
        let missing = directory.path + "/absent.yaml"
        #expect(
            mistakes(file: missing, [:]) == ["configuration file \(missing): cannot be read: there is no such file"])
        #expect(
            mistakes(file: directory.path, [:]) == [
                "configuration file \(directory.path): cannot be read: it is a directory"
            ])
        let binary = directory.path + "/binary.yaml"
        try Data([0x6C, 0xFF, 0xFE]).write(to: URL(filePath: binary))
        #expect(mistakes(file: binary, [:]) == ["configuration file \(binary): cannot be read: it is not UTF-8 text"])
        #expect(mistakes(file: "", [:]) == ["configuration file : cannot be read: there is no such file"])
    }

    @Test("a file may have a mebibyte and no byte more")
    func fileSize() throws {
        let limit = ConfigurationFile.maximumBytes
        for (size, isAllowed) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
            let file = try directory.write("#" + String(repeating: "x", count: size - 1), to: "large.yaml")
            let line = "configuration file \(file): cannot be read: it is larger than \(limit) bytes"
            #expect(mistakes(file: file, [:]) == (isAllowed ? [] : [line]))
        }
    }

    @Test("a default file that is there but cannot be read is an error, one that is missing is not")
    func defaultFile() throws {
        #expect(throws: Never.self) {
            try IndexerConfiguration.load(defaultFile: directory.path + "/none.yaml", environment: [:])
        }
        #expect(throws: ConfigurationError.self) {
            try IndexerConfiguration.load(defaultFile: directory.path, environment: [:])
        }
    }

    @Test(
        "some of Apple's credentials without the others: one line for each that is missing",
        arguments: [
            ([ConfigurationKey.apnsTeamID], ["apns.key_id", "apns.topic", "apns.key_path or apns.key"]),
            ([.apnsKeyID, .apnsTopic], ["apns.team_id", "apns.key_path or apns.key"]),
            ([.apnsTeamID, .apnsKeyID, .apnsTopic], ["apns.key_path or apns.key"]),
            ([.apnsKey], ["apns.team_id", "apns.key_id", "apns.topic"]),
            ([], []),
        ])
    func incompleteCredentials(present: [ConfigurationKey], missing: [String]) {
        let values: [ConfigurationKey: String] = [
            .apnsTeamID: "T", .apnsKeyID: "K", .apnsTopic: "a.b", .apnsKey: ConfigurationSamples.pem,
        ]
        let lines = mistakes(Dictionary(uniqueKeysWithValues: present.map { ($0.environmentName, values[$0] ?? "") }))
        #expect(lines.count == missing.count)
        for (line, name) in zip(lines, missing) {
            #expect(line.contains(": \(name) ("), "\(line)")
            #expect(line.contains(") is missing; allowed: all of apns.team_id, apns.key_id, apns.topic and one of"))
        }
    }

    @Test("A retention may be as long as push.max_age, and not shorter")
    func retention() {
        for (retention, maximumAge) in [("48h", "48h"), ("172800001ms", "48h"), ("24h", "24h"), ("", "100d")] {
            #expect(mistakes(["STORE_RETENTION": retention, "PUSH_MAX_AGE": maximumAge]) == [])
        }
        #expect(
            mistakes(["STORE_RETENTION": "172799999ms", "PUSH_MAX_AGE": "48h"]) == [
                "store.retention (environment STORE_RETENTION): store.retention is 172799999ms, push.max_age 2d; "
                    + "allowed: a retention that is not shorter than push.max_age"
            ])
    }

    @Test("a certificate without its key, or a key without its certificate, is one line that names what is missing")
    func incompleteTLS() throws {
        let samples = try ConfigurationSamples()
        let allowed = "allowed: both of http.tls_cert_path and http.tls_key_path, or none of them"
        #expect(
            mistakes(["HTTP_TLS_CERT_PATH": samples.caPath]) == [
                "http.tls_key_path (not set): http.tls_key_path (HTTP_TLS_KEY_PATH) is missing; \(allowed)"
            ])
        #expect(
            mistakes(["HTTP_TLS_KEY_PATH": samples.tlsKeyPath]) == [
                "http.tls_cert_path (not set): http.tls_cert_path (HTTP_TLS_CERT_PATH) is missing; \(allowed)"
            ])
        #expect(mistakes(["HTTP_TLS_CERT_PATH": samples.caPath, "HTTP_TLS_KEY_PATH": samples.tlsKeyPath]) == [])
        #expect(
            mistakes(["HTTP_TLS_CERT_PATH": samples.tlsKeyPath, "HTTP_TLS_KEY_PATH": samples.caPath]) == [
                Self.shown(
                    .httpTLSCertificatePath, samples.tlsKeyPath, "a PEM file with a certificate that can be read",
                    because: "it holds a private key"),
                Self.shown(
                    .httpTLSKeyPath, samples.caPath, "a PEM file with a private key that can be read",
                    because: "it holds a certificate"),
            ])
    }

    @Test(
        "a file that cannot be used says why",
        arguments: [
            ConfigurationKey.nodeCAPath, .apnsCAPath, .httpTLSKeyPath, .apnsKeyPath, .fcmCAPath, .webPushCAPath,
        ])
    func files(key: ConfigurationKey) throws {
        func reason(_ path: String) -> String? {
            mistakes([key.environmentName: path]).first { $0.contains(" is not allowed: ") }
        }
        #expect(reason("/no/such/file")?.contains("is not allowed: there is no such file; allowed: ") == true)
        #expect(reason(directory.path)?.contains("is not allowed: it is a directory; allowed: ") == true)
        let text = try directory.write("hello", to: "text.pem")
        #expect(reason(text)?.contains("not PEM text") == true)
        #expect(SmallFile.Failure.system("Permission denied").description == "it cannot be read: Permission denied")
    }

    @Test("a file that may not be read says so", .enabled(if: geteuid() != 0, "root may read everything"))
    func unreadable() throws {
        let path = try directory.write(ConfigurationSamples.pem, to: "closed.p8", permissions: 0)
        let lines = mistakes(["APNS_KEY_PATH": path])
        #expect(lines.contains { $0.contains("is not allowed: it cannot be read: Permission denied; ") }, "\(lines)")
    }

    @Test(
        "what is no key of Apple's says what it is instead",
        arguments: [
            ("", "the APNs key is empty"), ("hello", "the APNs key is not PEM text"),
            ("-----BEGIN CERTIFICATE-----\nsecret\n-----END CERTIFICATE-----", "the APNs key is a certificate"),
            ("-----BEGIN PUBLIC KEY-----\nsecret\n-----END PUBLIC KEY-----", "the APNs key is a public key"),
            ("-----BEGIN RSA PRIVATE KEY-----\nsecret\n-----END RSA PRIVATE KEY-----", "the APNs key is an RSA key"),
            ("-----BEGIN EC PRIVATE KEY-----\nsecret\n-----END EC PRIVATE KEY-----", "in the form EC PRIVATE KEY"),
            ("-----BEGIN PRIVATE KEY-----\nsecret", "the APNs key is cut short"),
            ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", "nothing between its first and its last line"),
            ("me\n-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----", "something before its first"),
        ])
    func noKey(text: String, words: String) throws {
        let path = try directory.write(text, to: "key.p8")
        let lines = mistakes(["APNS_KEY_PATH": path]).filter { $0.contains("is not allowed") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains(words) }, "\(lines)")
        #expect(lines.allSatisfy { !$0.contains("secret") })
    }

    @Test("both forms of the key are one too many")
    func twoKeys() throws {
        let samples = try ConfigurationSamples()
        var variables = samples.environment
        variables["APNS_KEY"] = ConfigurationSamples.pem
        #expect(
            mistakes(variables) == [
                "apns.key_path (environment APNS_KEY_PATH): apns.key_path and apns.key are both set; allowed: one of them"
            ])
    }

    @Test(
        "an endpoint for both hosts beside one for a host is one too many, with or without credentials",
        arguments: [ConfigurationKey.apnsSandboxEndpoint, .apnsProductionEndpoint])
    func twoEndpoints(key: ConfigurationKey) {
        let variables = ["APNS_ENDPOINT": "https://a", key.environmentName: "https://b"]
        #expect(
            mistakes(variables) == [
                "\(key.rawValue) (environment \(key.environmentName)): \(key.rawValue) and apns.endpoint are both set; "
                    + "allowed: apns.endpoint, which stands in for both of Apple's hosts, or apns.sandbox_endpoint and "
                    + "apns.production_endpoint, for one each"
            ])
        #expect(mistakes(["APNS_ENDPOINT": "", key.environmentName: "https://b"]) == [])
    }

    @Test(
        "a key that is not a private key in PEM form is refused and never shown",
        arguments: [
            "secret", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
            "-----BEGIN EC PRIVATE KEY-----\nsecret\n-----END EC PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nsecret", String(repeating: "secret", count: 20_000),
        ])
    func badKeys(text: String) throws {
        let base = ["APNS_TEAM_ID": "T", "APNS_KEY_ID": "K", "APNS_TOPIC": "a.b"]
        let asText = mistakes(base.merging(["APNS_KEY": text]) { $1 })
        #expect(asText.count == 1)
        #expect(asText.first?.hasPrefix("apns.key (environment APNS_KEY): *** is not allowed: the APNs key ") == true)
        let allowed = "; allowed: the text of Apple's .p8 file: a private key in PEM form, \\n for line breaks"
        #expect(asText.first?.hasSuffix(allowed) == true)
        let file = try directory.write(text, to: "key.p8")
        let asFile = mistakes(base.merging(["APNS_KEY_PATH": file]) { $1 })
        #expect(asFile.count == 1)
        #expect(asFile.first?.hasPrefix("apns.key_path (environment APNS_KEY_PATH): \"") == true)
        #expect((asText + asFile).allSatisfy { !$0.contains("secret") })
    }

    @Test(
        "the text of a key in place of its path is refused and never shown",
        arguments: [ConfigurationKey.apnsKeyPath, .httpTLSKeyPath],
        [
            ConfigurationSamples.pem, ConfigurationSamples.pem.replacing("\n", with: "\\n"),
            "-----BEGIN EC PRIVATE KEY----- MHcCAQEEIsecretsecretsecretsecretsecretsecret",
            "MIGHAgEAMBMGByqGSM49\nsecretsecretsecretsecret", "MIGHAgEAMBMGByqGSM49\\nsecretsecretsecretsecret",
            "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsecret/secret+secr",
            "./" + String(repeating: "secret", count: 43),
        ] as [String])
    func keyInPlaceOfPath(key: ConfigurationKey, value: String) {
        let lines = mistakes([key.environmentName: value]).filter { $0.contains("is not allowed") }
        #expect(lines.count == 1)
        let words = "(environment \(key.environmentName)): a value that looks like a key, not shown, is not allowed: "
        #expect(lines.first?.hasPrefix("\(key.rawValue) \(words)") == true, "\(lines)")
        #expect(mistakes([key.environmentName: value]).allSatisfy { !$0.contains("secret") && !$0.contains("MIG") })
    }

    @Test("a path that leads nowhere is shown, up to 255 bytes")
    func missingPath() {
        for path in ["/etc/kasia-push-indexer/apns.p8", "/" + String(repeating: "a.", count: 127)] {
            let lines = mistakes(["HTTP_TLS_KEY_PATH": path])
            #expect(lines.contains { $0.contains("\"\(path.prefix(100))") }, "\(lines)")
        }
    }

    @Test(
        "ids have at most 64 characters, the topic 255, and no odd ones",
        arguments: [
            (ConfigurationKey.apnsTeamID, 64), (.apnsKeyID, 64), (.apnsTopic, 255),
        ])
    func identifiers(key: ConfigurationKey, limit: Int) {
        func isRefused(_ value: String) -> Bool {
            mistakes([key.environmentName: value]).contains {
                $0.hasPrefix(key.rawValue) && $0.contains("characters of")
            }
        }
        #expect(!isRefused(String(repeating: "a", count: limit - 1)))
        #expect(!isRefused(String(repeating: "a", count: limit)))
        #expect(isRefused(String(repeating: "a", count: limit + 1)))
        #expect(isRefused("a b") && isRefused("ä") && isRefused("a\"b") && isRefused("a\u{0}b"))
    }

    @Test(
        "a value with line breaks, controls or too much text still makes one short line",
        arguments: [
            "a\nb: forged", "a\r\u{1b}[2Jb", "\u{202e}abc", "a\u{2028}b", String(repeating: "x", count: 100_000),
        ])
    func hostileValues(value: String) {
        let lines = mistakes(["HTTP_HOST": value])
        #expect(lines.count == 1)
        #expect(
            lines.allSatisfy {
                $0.utf8.count < 400 && $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            })
    }

    @Test("a URL refused for its user name does not show the password")
    func passwordInURL() {
        let lines = mistakes(["NODE_URLS": "https://user:hunter2@node:1"])
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""https://***@node:1" is not allowed"#) == true)
    }

    @Test(
        "durations print as they are read",
        arguments: [
            ("0s", Duration.zero), ("1ms", .milliseconds(1)), ("1500ms", .milliseconds(1_500)), ("1s", .seconds(1)),
            ("59s", .seconds(59)), ("1m", .seconds(60)), ("90m", .seconds(5_400)), ("24h", .seconds(86_400)),
            ("2d", .seconds(172_800)), ("36500d", .seconds(86_400 * 36_500)),
        ])
    func durations(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.format(duration) == text)
    }

    @Test(
        "numbers of bytes print as they are read",
        arguments: [
            ("0", 0), ("1", 1), ("1023", 1_023), ("1KiB", 1_024), ("1025", 1_025), ("1023KiB", 1_047_552),
            ("1MiB", 1_048_576), ("1025KiB", 1_049_600), ("256MiB", 268_435_456), ("1GiB", 1_073_741_824),
            ("1024TiB", 1_125_899_906_842_624), ("18446744073709551615", .max),
        ] as [(String, UInt64)])
    func byteCounts(text: String, bytes: UInt64) {
        #expect(ByteCountText.parse(text) == bytes)
        #expect(ByteCountText.format(bytes) == text)
    }
}
