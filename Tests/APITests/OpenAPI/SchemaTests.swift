import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JSON
import Kaspa
import Push
import Store
import Testing

@testable import API

/// The schemas of requests against the code that reads them.
@Suite("Schemas of requests")
struct SchemaTests {
    private static func document(_ network: Network = .mainnet) throws -> [String: Any] {
        let json = OpenAPIDocument.json(on: network)
        return try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    private static func schemas(_ network: Network = .mainnet) throws -> [String: [String: Any]] {
        let components = try #require(try document(network)["components"] as? [String: [String: [String: Any]]])
        return try #require(components["schemas"])
    }

    /// A schema without its references; what stands beside one goes before.
    private static func resolved(_ schema: [String: Any], _ network: Network = .mainnet) throws -> [String: Any] {
        guard let name = (schema["$ref"] as? String)?.split(separator: "/").last else { return schema }
        let target = try #require(try schemas(network)[String(name)])
        return try resolved(target, network).merging(schema) { _, beside in beside }
    }

    /// What a schema's member, or an entry of a member that is a list, may look like.
    private static func member(_ schema: String, _ path: String...) throws -> [String: Any] {
        var value = try resolved(try #require(try schemas()[schema]))
        for name in path {
            let properties = value["properties"] as? [String: [String: Any]]
            value = try resolved(try #require(properties?[name] ?? value[name] as? [String: Any], "\(name)"))
        }
        return value
    }

    /// Whether a text is as a schema wants it.
    private static func allows(_ schema: [String: Any], _ text: String) throws -> Bool {
        for key in ["oneOf", "anyOf"] {
            guard let choices = schema[key] as? [[String: Any]] else { continue }
            return try choices.contains { choice in
                let choice = try resolved(choice)
                if let constant = choice["const"] as? String { return constant == text }
                return try (choice["pattern"] ?? choice["anyOf"]) != nil && allows(choice, text)
            }
        }
        if let most = schema["maxLength"] as? Int, text.unicodeScalars.count > most { return false }
        if let least = schema["minLength"] as? Int, text.unicodeScalars.count < least { return false }
        return try Regex(try #require(schema["pattern"] as? String)).wholeMatch(in: text) != nil
    }

    // MARK: Texts

    private static let good = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
    private static let digits = good.dropFirst("kaspa:".count)

    /// One address of each version.
    private static func everyVersion(_ network: Network = .mainnet) throws -> [String] {
        try Address.Version.allCases.map { version in
            let payload = [UInt8](repeating: 7, count: version.payloadByteCount)
            let address = Address(prefix: network.addressPrefix, version: version, payload: payload)
            return try #require(address).description
        }
    }

    /// Addresses, and texts that are none for another reason than a wrong checksum, which a pattern cannot know.
    private static func addressTexts() throws -> [String] {
        let other = try addresses(1, prefix: .kaspatest)[0]
        return try everyVersion() + everyVersion().map { $0.uppercased() } + [
            "", "kaspa:", String(digits), other, other.uppercased(), "Kaspa:" + digits, "kaspa:" + digits.uppercased(),
            good + "q", String(good.dropLast()), good.replacing("q", with: "b"), good.replacing("q", with: "1"),
            "kaspa:s" + digits.dropFirst(), " " + good, good + "\n", good + " " + good, "kaspa: " + digits, "kaspa",
        ]
    }

    private static let hexTexts = [
        "", "ab", "abc", "zz", String(repeating: "a", count: 62), String(repeating: "a", count: 64),
        String(repeating: "A", count: 64), String(repeating: "g", count: 64), String(repeating: "a", count: 65),
        String(repeating: "a", count: 66), " " + String(repeating: "a", count: 64),
        String(repeating: "a", count: 32), String(repeating: "a", count: 31), String(repeating: "a", count: 33),
        String(repeating: "a", count: 80), String(repeating: "0", count: 79), String(repeating: "0", count: 81),
        String(repeating: "b", count: 127), String(repeating: "b", count: 128), String(repeating: "b", count: 130),
        String(repeating: "b", count: 512), String(repeating: "b", count: 514),
    ]
    /// Tokens of every carrier, and texts around their limits.
    private static let tokenTexts =
        hexTexts + [
            "<aa>", fcmToken, fcmToken + "+", fcmToken + " ", " " + fcmToken, "https://", "https:///x", "https://?",
            "https://#", "https://:1", "https://a", "https://a b", "https://ä", "https://a\u{7f}", "HTTPS://a",
            "http://push.example.org/" + String(repeating: "a", count: 64), "https://push.example.org/?a=b#c",
        ]
        + [63, 64, 65, 4_095, 4_096, 4_097].flatMap { count in
            ["g", "a", "G", "_"].map { $0 + String(repeating: "0", count: count - 1) }
                + [String(repeating: ":", count: count), String(repeating: ".", count: count)]
        }
        + [999, 1_000, 1_001].map { "https://" + String(repeating: "a", count: $0 - 8) }
    private static let names = [
        "", " ", "a", "A", "news", " News ", "a b", "a:b", "a.b-c_d", "é", "a/b",
        String(repeating: "n", count: 36), String(repeating: "n", count: 37), String(repeating: "n", count: 64),
        String(repeating: "n", count: 65),
    ]

    private static func expectSame(
        _ schema: [String: Any], _ texts: [String], _ what: String, _ read: (String) throws -> Void
    ) throws {
        for text in texts {
            let isTaken = (try? read(text)) != nil
            #expect(try allows(schema, text) == isTaken, "\(what): \(text.debugDescription)")
        }
    }

    private static func register(_ changes: [String: JSONValue]) throws {
        let base: [String: JSONValue] = [
            "device_token": .string(token), "platform": .string("ios"), "watched_addresses": .array([.string(good)]),
        ]
        let members = base.merging(changes) { _, new in new }
        _ = try RegistrationRequest(members: members, network: .mainnet).registration(needsPlatform: true)
    }

    // MARK: Claims

    @Test("a registration's texts are refused as their schemas say")
    func registrationTexts() throws {
        let addresses = try Self.addressTexts()
        for (list, texts) in [
            ("watched_addresses", addresses), ("watch_only_addresses", addresses), ("watched_group_ids", Self.hexTexts),
            ("capabilities", Self.names), ("watched_broadcast_channels", Self.names),
        ] {
            // Another address is there, so that an empty text leaves something to watch.
            let first: [JSONValue] = list == "watched_addresses" ? [.string(Self.good)] : []
            try Self.expectSame(try Self.member("Watch", list, "items"), texts, list) { text in
                try Self.register([list: .array(first + [.string(text)])])
            }
        }
        try Self.expectSame(try Self.member("Watch", "primary_address"), addresses, "primary_address") { text in
            try Self.register(["primary_address": .string(text)])
        }
        for (schema, member) in [("AppleDevice", "device_token"), ("Watch", "voip_token")] {
            try Self.expectSame(try Self.member(schema, member), Self.tokenTexts, member) { text in
                // An empty text is no token for ringing, which is allowed, and no device token, which is not.
                try Self.register([member: .string(text)])
            }
        }
        let hidden = try Self.member("Watch", "hidden_broadcast_senders")
        let channels = try #require(hidden["propertyNames"] as? [String: Any])
        // Nothing but white space is not worth a pattern of its own.
        try Self.expectSame(channels, Self.names.filter { $0 != " " }, "a hidden channel") { text in
            try Self.register(["hidden_broadcast_senders": .object([text: .array([])])])
        }
        let senders = try Self.member("Watch", "hidden_broadcast_senders", "additionalProperties", "items")
        try Self.expectSame(senders, addresses, "a hidden sender") { text in
            try Self.register(["hidden_broadcast_senders": .object(["news": .array([.string(text)])])])
        }
    }

    @Test("the tokens of every carrier are refused as their schemas say")
    func tokens() throws {
        try Self.expectSame(try Self.member("AndroidDevice", "device_token"), Self.tokenTexts, "of Android") { text in
            try Self.register(["device_token": .string(text), "platform": .string("android")])
        }
        for platform in ["web", "unifiedpush"] {
            try Self.expectSame(try Self.member("Subscription", "endpoint"), Self.tokenTexts, platform) { text in
                try Self.register([
                    "device_token": .null, "platform": .string(platform),
                    "subscription": Self.subscription(["endpoint": .string(text)]),
                ])
            }
        }
        let any = try #require(try Self.schemas()["DeviceToken"])
        try Self.expectSame(any, Self.tokenTexts, "any token") { text in
            _ = try RegistrationRequest(members: ["device_token": .string(text)], network: .mainnet).deviceToken()
        }
        let platforms = ["ios", "MacOS", "Android", "WEB", "UnifiedPush", "", "windows", "ios ", "iosmacos", "web2"]
        try Self.expectSame(try Self.member("RegisterRequest", "platform"), platforms, "platform") { text in
            let token = text.lowercased() == "android" ? fcmToken : token
            try Self.register([
                "device_token": ["WEB", "UnifiedPush"].contains(text) ? .null : .string(token),
                "platform": .string(text), "subscription": Self.subscription([:]),
            ])
        }
    }

    @Test("the keys of a subscription are refused as their schemas say")
    func subscriptionKeys() throws {
        let (key, secret) = (TestSubscription.publicKey, TestSubscription().secret)
        let keys = [
            key, key + "=", key + "==", String(key.dropLast()), key + "A", "C" + key.dropFirst(), "", key + "\n",
            key.replacing("_", with: "/").replacing("-", with: "+"), "BQ" + key.dropFirst(2),
            key.replacing("B", with: "!"),
        ]
        let secrets = [secret, secret + "==", secret + "=", String(secret.dropLast()), secret + "A", "", secret + " "]
        for (name, texts) in [("p256dh", keys), ("auth", secrets)] {
            try Self.expectSame(try Self.member("Subscription", "keys", name), texts, name) { text in
                let usual: [String: JSONValue] = ["p256dh": .string(key), "auth": .string(secret)]
                try Self.register([
                    "device_token": .null, "platform": .string("web"),
                    "subscription": Self.subscription([
                        "keys": .object(usual.merging([name: .string(text)]) { _, new in new })
                    ]),
                ])
            }
        }
    }

    private static func subscription(_ changes: [String: JSONValue]) -> JSONValue {
        let usual: [String: JSONValue] = [
            "endpoint": .string("https://push.example.org/1"),
            "keys": .object(["p256dh": .string(TestSubscription.publicKey), "auth": .string(TestSubscription().secret)]
            ),
        ]
        return .object(usual.merging(changes) { _, new in new })
    }

    @Test("the examples of a registration are registrations, one for each carrier")
    func registrationExamples() throws {
        let examples = try #require(try Self.schemas()["RegisterRequest"]?["examples"] as? [[String: Any]])
        let carriers = try examples.map { example in
            let body = Array(try JSONSerialization.data(withJSONObject: example))
            guard case .object(let members) = try JSONParser.parse(body) else { return CarrierName?.none }
            return try RegistrationRequest(members: members, network: .mainnet).registration(needsPlatform: true)
                .carrier
        }
        #expect(carriers == [.apns, .fcm, .webPush])
    }

    @Test("signatures are refused as their schemas say")
    func signatureTexts() throws {
        let vector = try #require(VectorTests.vectors.first { $0.devicePreimage != nil && $0.isValid })
        guard case .object(let body) = try JSONParser.parse(Array(vector.request)),
            case .object(let auth) = body["auth"],
            case .object(let device) = auth["device_auth"]
        else {
            Issue.record("the vector has no device key")
            return
        }
        for (member, texts) in [
            ("wallet_pubkey", Self.hexTexts), ("nonce", Self.hexTexts), ("signature", Self.hexTexts),
            ("wallet_address", try Self.addressTexts()),
        ] {
            try Self.expectSame(try Self.member("Signatures", member), texts, member) { text in
                let read = try AuthObject(.object(auth.merging([member: .string(text)]) { _, new in new }))
                // An address of another network is refused a step later.
                guard read.walletAddress.prefix == .kaspa else { throw APIError.unauthorized("another network") }
            }
        }
        let keys = [85, 86, 87, 88].map { String(repeating: "A", count: $0) }
        let signatures = [10, 11, 95, 96, 98].map { String(repeating: "-", count: $0) }
        for (member, texts) in [
            ("key_id", Self.hexTexts),
            ("pubkey", keys + [keys[2] + "=", keys[2] + "==", keys[1] + "+", keys[1] + "_", keys[1] + "!"]),
            ("signature", signatures + [signatures[1] + "=", "!" + signatures[1]]),
        ] {
            try Self.expectSame(try Self.member("DeviceAuth", member), texts, member) { text in
                _ = try DeviceAuthObject(.object(device.merging([member: .string(text)]) { _, new in new }))
            }
        }
    }

    /// The schema of a call's query parameter.
    private static func parameter(_ path: String, _ name: String) throws -> [String: Any] {
        let document = try document()
        let components = try #require(document["components"] as? [String: [String: [String: Any]]])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let parameters = try #require(paths[path]?["get"]?["parameters"] as? [[String: Any]])
        let found = parameters.map { parameter in
            let reference = (parameter["$ref"] as? String)?.split(separator: "/").last.map(String.init)
            return reference.flatMap { components["parameters"]?[$0] } ?? parameter
        }
        let schema = found.first { $0["name"] as? String == name }?["schema"] as? [String: Any]
        return try resolved(try #require(schema, "\(path) \(name)"))
    }

    @Test("texts of queries are refused as their schemas say")
    func queryTexts() async throws {
        let (addresses, hex) = (try Self.addressTexts(), Self.hexTexts)
        let lists = ["", ",", "x", "in", "in,out,self", "in,", "accepted,pending", "transfers", "transfers,transfers"]
        let names = lists + ["payment", "payment,transfer", "payment,mail", "Payment", "payment, transfer"]
        let texts: [(path: String, others: String, name: String, texts: [String])] = [
            ("/v1/activity", "", "address", addresses),
            ("/v1/activity", "address=\(Self.good)", "counterparty", addresses),
            ("/v1/activity", "address=\(Self.good)", "cursor", hex),
            ("/v1/activity", "address=\(Self.good)", "types", names),
            ("/v1/activity", "address=\(Self.good)", "direction", names),
            ("/v1/activity", "address=\(Self.good)", "status", names),
            ("/v1/activity", "address=\(Self.good)", "include", names),
            ("/payments/by-sender", "address=\(Self.good)", "cursor", hex),
            ("/contextual-messages/by-sender", "address=\(Self.good)", "alias", hex),
            ("/self-stash/by-owner", "owner=\(Self.good)", "scope", hex),
            ("/group-messages/by-blinded-group-id", "", "blinded_group_id", hex),
            ("/contextual-messages/by-inbox", "", "tag", hex),
        ]
        try await TestService().run { client in
            for (path, others, name, texts) in texts {
                let schema = try Self.parameter(path, name)
                for text in texts {
                    let value = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                    let response = try await client.execute(uri: "\(path)?\(others)&\(name)=\(value)", method: .get)
                    let expected: HTTPResponse.Status = try Self.allows(schema, text) ? .ok : .badRequest
                    #expect(response.status == expected, "\(path) \(name): \(text.debugDescription)")
                }
            }
        }
        let ids = [
            "0-", "00-", "5-", "0-3f2504e0", "4711-3f2504e0", "4711-3F2504E0", "4711-3f2504", "x-3f2504e0", "4711", "-",
            "007-3f2504e0", " 4711-3f2504e0", "18446744073709551615-3f2504e0", "118446744073709551615-3f2504e0",
        ]
        try Self.expectSame(try Self.parameter("/v1/activity/stream", "last_event_id"), ids, "last_event_id") { text in
            _ = try ActivityStream.position(text)
        }
    }

    @Test("numbers have the bounds of the code")
    func numbers() throws {
        for (path, names) in [
            ("/v1/activity", ["since", "until"]), ("/payments/by-sender", ["block_time"]),
            ("/contextual-messages/by-inbox", ["block_time"]), ("/get-broadcasts", ["before"]),
        ] {
            for name in names {
                let schema = try Self.parameter(path, name)
                #expect(schema["minimum"] as? UInt64 == 0 && schema["maximum"] as? UInt64 == .max, "\(path) \(name)")
            }
        }
        for (schema, name, least) in [
            ("Signatures", "timestamp_ms", 0), ("Signatures", "expires_at_ms", 0), ("DeviceAuth", "counter", 1),
        ] as [(String, String, UInt64)] {
            let member = try Self.member(schema, name)
            #expect(member["minimum"] as? UInt64 == least && member["maximum"] as? UInt64 == .max, "\(name)")
        }
    }

    @Test(
        "addresses have the network's prefix, in patterns and in examples",
        arguments: [Network.mainnet, .testnet(10), .testnet(11), .devnet, .simnet])
    func networks(network: Network) throws {
        let schemas = try Self.schemas(network)
        for name in ["Address", "AddressEntry", "AddressOrEmpty"] {
            let pattern = try Regex(try #require(schemas[name]?["pattern"] as? String))
            for prefix in AddressPrefix.allCases {
                for text in try addresses(2, prefix: prefix) {
                    #expect(
                        (text.wholeMatch(of: pattern) != nil) == (prefix == network.addressPrefix), "\(name) \(text)")
                }
            }
        }
        let examples = try #require(schemas["Address"]?["examples"] as? [String])
        for example in examples { _ = try Address.parse(example, on: network) }
    }

    @Test("examples are as their patterns want them")
    func examples() throws {
        for (name, schema) in try Self.schemas() {
            guard let examples = schema["examples"] as? [String], schema["pattern"] != nil else { continue }
            for example in examples { #expect(try Self.allows(schema, example), "\(name): \(example)") }
        }
    }

    // MARK: The text to sign

    @Test("auth describes the text to sign by a vector that is right, and names each of its lines")
    func textToSign() throws {
        let auth = try #require(try Self.schemas()["Auth"]?["description"] as? String)
        let vector = try #require(VectorTests.vectors.first { $0.name == "v2 register" })
        #expect(auth.contains("\n```\n\(vector.preimage)\n```\n"))
        #expect(auth.contains(SHA256.hexDigest(of: Array(vector.preimage.utf8))))
        let body = try #require(JSONSerialization.jsonObject(with: vector.request) as? [String: Any])
        let signature = try #require((body["auth"] as? [String: Any])?["signature"] as? String)
        #expect(auth.contains("`\(signature)`"))
        #expect(auth.contains(try #require(body["device_token"] as? String)))
        #expect(body["aliases"] as? [String] == ["alias-b", " alias-a ", "alias-b", ""])
        #expect(vector.preimage.contains("aliases_hash=\(SHA256.hexDigest(of: Array("alias-a\nalias-b".utf8)))"))
        let rules = auth.split(separator: "\n").filter { $0.hasPrefix("- ") }.joined()
        for line in vector.preimage.split(separator: "\n") {
            #expect(rules.contains("`\(line.prefix { $0 != "=" })="), "\(line)")
        }
    }

    @Test("device_auth names each line of its own text")
    func deviceText() throws {
        let device = try #require(try Self.schemas()["DeviceAuth"]?["description"] as? String)
        let text = try #require(VectorTests.vectors.compactMap(\.devicePreimage).first)
        for line in text.split(separator: "\n") {
            #expect(device.contains("`\(line.prefix { $0 != "=" })="), "\(line)")
        }
    }
}
