import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

@Suite("Limits of a registration")
struct RegistrationLimitTests {
    @Test(
        "a token has 64 to 512 digits, an even number",
        arguments: [0, 2, 62, 63, 64, 65, 66, 510, 511, 512, 513, 514, 4096])
    func tokenDigits(count: Int) async throws {
        let isAllowed = (64...512).contains(count) && count % 2 == 0
        let service = try TestService()
        let text = String(repeating: "aF", count: count / 2) + (count % 2 == 1 ? "0" : "")
        try await service.run { client in
            let response = try await client.register(["device_token": text])
            if isAllowed {
                expectDone(response)
                #expect(try await service.device(text.lowercased()) != nil)
            } else {
                try expect(response, .badRequest, "device_token must have 64 to 512 hex digits")
            }
        }
    }

    @Test(
        "spaces, <, >, - and : are dropped from a token",
        arguments: [
            "<01234567 89abcdef 01234567 89abcdef 01234567 89abcdef 01234567 89abcdef>",
            token.map { "\($0)" }.joined(separator: ":"), token.map { "\($0)" }.joined(separator: "-").uppercased(),
            "    " + token + ">>>>",
        ])
    func normalisation(text: String) async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register(["device_token": text]))
            #expect(try await service.device(token) != nil)
            expectDone(try await client.send(.post, "/v1/push/unregister", ["device_token": text]))
        }
        #expect(try await service.device(token) == nil)
    }

    @Test("anything else in a token is refused", arguments: ["g", "\t", "\n", ".", "é", "\u{0}", "０", ","])
    func foreignCharacters(character: String) async throws {
        try await TestService().run { client in
            try expect(
                try await client.register(["device_token": token + character]), .badRequest,
                "device_token has a character that is not a hex digit")
        }
    }

    @Test(
        "a list has at most so many entries",
        arguments: [
            ("watched_addresses", 256), ("aliases", 256), ("watched_group_ids", 256), ("capabilities", 32),
        ])
    func listLengths(name: String, limit: Int) async throws {
        for count in [limit - 1, limit, limit + 1] {
            let service = try TestService()
            try await service.run { client in
                let response = try await client.register([name: try Self.entries(name, count)])
                guard count <= limit else {
                    return try expect(
                        response, .badRequest, "\(name) has \(count) entries; at most \(limit) are allowed")
                }
                if name == "watched_addresses" || name == "aliases" {
                    expectDone(response)
                    let device = try #require(try await service.device(token))
                    #expect((name == "aliases" ? device.aliases.count : device.watchedAddresses.count) == count)
                } else {
                    try expect(response, .unauthorized, "need a signed request")
                }
            }
        }
    }

    private static func entries(_ name: String, _ count: Int) throws -> [String] {
        switch name {
        case "watched_addresses": try addresses(count)
        case "watched_group_ids":
            (0..<count).map { Hex.encode([UInt8($0 >> 8), UInt8($0 & 0xFF)] + [UInt8](repeating: 1, count: 30)) }
        default: (0..<count).map { "entry-\($0)" }
        }
    }

    @Test("an address has at most 128 bytes", arguments: [127, 128, 129])
    func addressBytes(count: Int) async throws {
        let text = "kaspa:" + String(repeating: "q", count: count - 6)
        try await TestService().run { client in
            let good = try addresses(1)
            let response = try await client.register(["watched_addresses": good + [text]])
            try expect(
                response, .badRequest,
                count <= 128 ? "wrong checksum" : "watched_addresses[1] is longer than 128 bytes")
            try expect(
                try await client.register(["primary_address": text]), .badRequest,
                count <= 128 ? "primary_address \"kaspa:q" : "primary_address is longer than 128 bytes")
        }
    }

    @Test("an alias has at most 64 bytes, whatever its characters", arguments: ["a", "é", "鍵", "🔑"])
    func aliasBytes(character: String) async throws {
        let width = character.utf8.count
        for count in [63, 64, 65] {
            let text = String(repeating: character, count: count / width) + String(repeating: "x", count: count % width)
            try await TestService().run { client in
                let response = try await client.register(["aliases": ["ok", text]])
                if count <= 64 {
                    expectDone(response)
                } else {
                    try expect(response, .badRequest, "aliases[1] is longer than 64 bytes")
                }
            }
        }
    }

    @Test("a group id has 64 hex digits", arguments: [62, 63, 64, 65, 66])
    func groupIDDigits(count: Int) async throws {
        try await TestService().run { client in
            let response = try await client.register(["watched_group_ids": [String(repeating: "A", count: count)]])
            if count == 64 {
                try expect(response, .unauthorized, "auth")
            } else {
                try expect(response, .badRequest, "watched_group_ids[0] must be 64 hex digits")
            }
        }
    }

    @Test("a capability has at most 64 of its characters", arguments: [1, 63, 64, 65])
    func capabilityBytes(count: Int) async throws {
        try await TestService().run { client in
            let text = String(repeating: "Group_v-1.", count: 7).prefix(count)
            let response = try await client.register(["capabilities": [String(text)]])
            if count <= 64 {
                try expect(response, .unauthorized, "auth")
            } else {
                try expect(response, .badRequest, "capabilities[0] must be at most 64 of the characters")
            }
        }
    }

    @Test("a capability has no other character", arguments: ["a b", "é", "\u{212A}", "a/b", "a\u{0}", "a,b"])
    func capabilityCharacters(text: String) async throws {
        try await TestService().run { client in
            try expect(try await client.register(["capabilities": ["x", text]]), .badRequest, "capabilities[1]")
        }
    }
}
