import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import StoreSupport
import Testing

@testable import API

@Suite("Refused registrations")
struct RegistrationRefusalTests {
    /// A member of the body as JSON text, and what the answer must name.
    static let shapes: [(String, String, String)] = [
        ("device_token", "7", "device_token must be a string"),
        ("device_token", "null", "device_token is missing"),
        ("device_token", "[\"\(token)\"]", "device_token must be a string"),
        ("platform", "1", "platform must be a string"),
        ("platform", "null", "platform is missing"),
        (
            "platform", "\"windows\"",
            "platform \"windows\" is not known: use one of ios, macos, android, web, unifiedpush"
        ),
        ("platform", "\"\"", "platform \"\" is not known"),
        ("platform", "\"i\\nos\"", "platform \"i?os\" is not known"),
        ("watched_addresses", "null", "watched_addresses is missing"),
        ("watched_addresses", "\"kaspa:x\"", "watched_addresses must be a list of strings"),
        ("watched_addresses", "{}", "watched_addresses must be a list of strings"),
        ("watched_addresses", "[]", "nothing to watch"),
        ("watched_addresses", "[\"\",\"  \"]", "nothing to watch"),
        ("watched_addresses", "[3]", "watched_addresses[0] must be a string"),
        ("watched_addresses", "[\"\",null]", "watched_addresses[1] must be a string"),
        ("watched_addresses", "[\"\",\"kaspa:qqqq\"]", "watched_addresses[1] \"kaspa:qqqq\" is not valid"),
        ("watched_addresses", "[\"kaspa\"]", "watched_addresses[0] \"kaspa\" is not valid: The address has no network"),
        ("primary_address", "5", "primary_address must be a string"),
        ("primary_address", "\"kaspa:qqqq\"", "primary_address \"kaspa:qqqq\" is not valid"),
        ("aliases", "{}", "aliases must be a list of strings"),
        ("aliases", "[\"a\",true]", "aliases[1] must be a string"),
        ("watched_group_ids", "\"a\"", "watched_group_ids must be a list of strings"),
        ("watched_group_ids", "[1.5]", "watched_group_ids[0] must be a string"),
        ("capabilities", "1", "capabilities must be a list of strings"),
        ("capabilities", "[[]]", "capabilities[0] must be a string"),
        ("payload_format", "\"apns\"", "payload_format must be kasia or kachat"),
        ("payload_format", "1", "payload_format must be kasia or kachat"),
    ]

    @Test("a wrong member is refused by name, and nothing is stored", arguments: shapes)
    func shape(name: String, json: String, sentence: String) async throws {
        let service = try TestService()
        try await service.run { client in
            var members = try registration().mapValues { value in
                String(
                    decoding: try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed),
                    as: UTF8.self)
            }
            members[name] = json
            let body = "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
            try expect(
                try await client.send(.post, "/v1/push/register", bytes: Array(body.utf8)), .badRequest, sentence)
        }
        #expect(try await service.device(token) == nil)
    }

    @Test("what is missing is refused by name", arguments: ["device_token", "platform", "watched_addresses"])
    func missing(name: String) async throws {
        try await TestService().run { client in
            try expect(try await client.register([name: nil]), .badRequest, "\(name) is missing")
        }
    }

    @Test("one bad entry refuses the whole request and leaves the old registration")
    func wholeRequest() async throws {
        let service = try TestService()
        let good = try addresses(2)
        let foreign = try addresses(1, prefix: .kaspatest)[0]
        try await service.run { client in
            expectDone(try await client.register())
            let before = try await service.device(token)
            let response = try await client.register(["watched_addresses": [good[1], foreign]])
            try expect(
                response, .badRequest,
                "watched_addresses[1] \"\(foreign)\" is not valid: The address belongs to another network")
            #expect(try await service.device(token) == before)
        }
    }

    @Test("optional members may be null, and a primary address alone is enough to watch")
    func nulls() async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(
                try await client.register([
                    "aliases": NSNull(), "primary_address": NSNull(), "watched_group_ids": NSNull(),
                    "capabilities": NSNull(), "payload_format": NSNull(), "auth": NSNull(),
                ]))
            expectDone(
                try await client.register(["watched_addresses": [String](), "primary_address": try addresses(1)[0]]))
        }
        #expect(try await service.device(token)?.watchedAddresses == [])
    }

    @Test("somebody else's text is quoted short")
    func quoting() async throws {
        try await TestService().run { client in
            for count in [79, 80, 81] {
                let response = try await client.register(["platform": String(repeating: "p", count: count)])
                let sentence = try response.error()
                #expect(sentence.contains("p…\"") == (count > 80))
                #expect(
                    sentence.filter { $0 == "p" }.count == min(count, 80) + 2, "with those of platform and unifiedpush")
            }
        }
    }
}

@Suite("Requests that need a signature")
struct UnsignedRequestTests {
    static let calls: [(HTTPRequest.Method, String)] = [
        (.post, "register"), (.put, "update"), (.post, "update"), (.delete, "unregister"), (.post, "unregister"),
    ]

    @Test("auth that is no object with a signature is 400 and changes nothing", arguments: calls)
    func auth(method: HTTPRequest.Method, call: String) async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register())
            let before = try await service.device(token)
            for auth: Any in [["wallet_pubkey": "00"], [String: Any](), "signature", 1, false, [Any]()] {
                let response = try await client.send(
                    method, "/v1/push/\(call)",
                    try registration([
                        "auth": auth, "aliases": ["new"], "capabilities": ["group_v1"],
                        "watched_group_ids": [String(repeating: "a", count: 64)],
                    ]))
                try expect(response, .badRequest, "auth")
                #expect(try await service.device(token) == before)
            }
        }
    }

    @Test("strict mode refuses what is unsigned, after its shape was looked at", arguments: calls)
    func strict(method: HTTPRequest.Method, call: String) async throws {
        let service = try TestService(mode: .strict)
        try await service.run { client in
            let uri = "/v1/push/\(call)"
            try expect(try await client.send(method, uri, try registration()), .unauthorized, "auth is required")
            try expect(
                try await client.send(method, uri, try registration(["device_token": "12"])), .badRequest, "not 2")
            try expect(
                try await client.send(method, uri, try registration(["auth": ["nonce": "0"]])), .badRequest,
                "auth.wallet_pubkey is missing")
            try expect(try await client.status(), .unauthorized, "auth is required")
        }
        #expect(try await service.store.totals().devices == 0)
    }

    @Test(
        "a device bound to a wallet cannot be changed unsigned",
        arguments: [
            APIConfiguration.AuthenticationMode.legacy, .mixed,
        ])
    func bound(mode: APIConfiguration.AuthenticationMode) async throws {
        let service = try TestService(mode: mode)
        let wallet = try Address(parsing: try addresses(1)[0])
        try await service.run { client in
            expectDone(try await client.register())
            try await service.store.registry.upsertDevice(DeviceID(token: try #require(Hex.decode(token)))) { old in
                var device = old
                device?.walletAddress = wallet
                return device
                    ?? DeviceRecord(token: [], platform: .ios, createdAt: 0, lastSeen: 0, watchedAddresses: [])
            }
            for (method, call) in Self.calls {
                try expect(
                    try await client.send(method, "/v1/push/\(call)", try registration()), .unauthorized,
                    "auth is required for a wallet-bound device token")
            }
        }
        #expect(try await service.device(token)?.walletAddress == wallet)
    }
}
