import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

@Suite("Register, update, unregister")
struct RegisterTests {
    @Test("a registration is stored as a whole, in the store's own spelling")
    func stored() async throws {
        let service = try TestService()
        let all = try addresses(3)
        try await service.run { client in
            expectDone(
                try await client.register([
                    "device_token": "<" + token.uppercased() + ">", "platform": "MacOS",
                    "watched_addresses": [all[0].uppercased(), " \(all[1])\n", all[0], ""],
                    "primary_address": " \(all[2]) ", "aliases": ["beta", " alpha ", "beta", "", "Beta"],
                    "payload_format": "kachat", "watched_group_ids": [String](), "capabilities": [String](),
                    "app_version": ["nested": [1, nil, true]],
                ]))
        }
        let device = try #require(try await service.device(token))
        #expect(Hex.encode(device.token) == token)
        #expect(device.platform == .macos)
        #expect(device.watchedAddresses.map(\.description) == [all[0], all[1]])
        #expect(device.primaryAddress?.description == all[2])
        #expect(device.aliases.map { String(decoding: $0, as: UTF8.self) } == ["beta", "alpha", "Beta"])
        #expect(device.payloadFormat == .kachat)
        #expect(device.createdAt == 1_704_067_200_999)
        #expect(device.watchedGroupIDs.isEmpty && device.capabilities.isEmpty && device.walletAddress == nil)
    }

    @Test("registering twice is one device, and only its last-seen time moves")
    func idempotent() async throws {
        let service = try TestService()
        try await service.run { client in expectDone(try await client.register()) }
        let first = try #require(try await service.device(token))
        service.clock.value += 5000
        try await service.run { client in expectDone(try await client.register()) }
        var second = try #require(try await service.device(token))
        #expect(second.lastSeen == first.lastSeen + 5000)
        second.lastSeen = first.lastSeen
        #expect(second == first)
        let totals = try await service.store.totals()
        #expect(totals.devices == 1 && totals.watchEntries == 1)
    }

    @Test(
        "a later registration replaces everything",
        arguments: [("PUT", "update"), ("POST", "update"), ("POST", "register")])
    func replaces(method: String, call: String) async throws {
        let service = try TestService()
        let all = try addresses(3)
        try await service.run { client in
            expectDone(
                try await client.register([
                    "platform": "macos", "watched_addresses": all, "aliases": ["a"], "primary_address": all[0],
                    "payload_format": "kasia",
                ]))
            let changes: [String: Any?] = ["platform": call == "update" ? nil : "macos", "watched_addresses": [all[2]]]
            let response = try await client.send(
                try #require(.init(rawValue: method)), "/v1/push/\(call)", try registration(changes))
            expectDone(response)
        }
        let device = try #require(try await service.device(token))
        #expect(device.platform == .macos, "an update leaves the platform")
        #expect(device.watchedAddresses.map(\.description) == [all[2]])
        #expect(device.aliases.isEmpty && device.primaryAddress == nil && device.payloadFormat == nil)
        #expect(try await service.store.totals().watchEntries == 1)
    }

    @Test("an update of an unknown device registers it as iOS, whatever platform it names", arguments: ["PUT", "POST"])
    func updateRegisters(method: String) async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(
                try await client.send(
                    try #require(.init(rawValue: method)), "/v1/push/update", try registration(["platform": "windows"]))
            )
        }
        #expect(try await service.device(token)?.platform == .ios)
    }

    @Test("an unregister leaves nothing, and works on the unknown too", arguments: ["DELETE", "POST"])
    func unregister(method: String) async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register(["primary_address": try addresses(1)[0]]))
            for _ in 0..<2 {
                expectDone(
                    try await client.send(
                        try #require(.init(rawValue: method)), "/v1/push/unregister",
                        ["device_token": token.uppercased(), "platform": 7]))
            }
        }
        #expect(try await service.device(token) == nil)
        let totals = try await service.store.totals()
        #expect(totals.devices == 0 && totals.watchEntries == 0)
    }

    @Test("status says what is watched and when the device was last seen, in this very shape")
    func status() async throws {
        let service = try TestService()
        let all = try addresses(2)
        let unknown = #"{"registered":false,"watched_addresses":[],"last_seen":null}"#
        try await service.run { client in
            #expect(try await client.status().text == unknown)
            expectDone(try await client.register(["watched_addresses": all, "primary_address": all[0]]))
            let answer = try await client.status()
            #expect(answer.status == .ok && answer.headers[.contentType] == "application/json")
            #expect(
                answer.text.hasPrefix(
                    #"{"registered":true,"watched_addresses":["\#(all[0])","\#(all[1])"],"last_seen":1704067200,"#))
            service.clock.value += 1
            expectDone(try await client.send(.put, "/v1/push/update", try registration()))
            #expect(try await client.status().text.contains(#""last_seen":1704067201,"#))
            expectDone(try await client.send(.delete, "/v1/push/unregister", ["device_token": token]))
            #expect(try await client.status().text == unknown)
        }
    }

    @Test(
        "status reads tokens as queries write them",
        arguments: [
            token.uppercased(), "%3C" + token + "%3E",
            "<0123456789abcdef+0123456789abcdef%200123456789abcdef-0123456789abcdef>",
            token + "&device_token=ff", "%30" + token.dropFirst(), token + "#fragment",
        ])
    func statusQuery(query: String) async throws {
        let service = try TestService()
        try await service.run { client in
            expectDone(try await client.register())
            #expect(try await client.status(query).text.hasPrefix(#"{"registered":true"#))
        }
    }

    @Test(
        "status refuses what is no token",
        arguments: [
            ("/v1/push/status", "device_token is missing"), ("/v1/push/status?", "device_token is missing"),
            ("/v1/push/status?token=\(token)", "\"token\" is no query parameter of this call: it knows device_token"),
            ("/v1/push/status?device_token", "not 0"), ("/v1/push/status?device_token=", "not 0"),
            ("/v1/push/status?device_token=%zz", "not a hex digit"),
            ("/v1/push/status?device_token=%ff%fe", "not a hex digit"),
            ("/v1/push/status?device_token=" + token + "%2B", "not a hex digit"),
            ("/v1/push/status?device_token=" + token.dropFirst(), "not 63"),
        ])
    func statusRefusals(uri: String, sentence: String) async throws {
        try await TestService().run { client in
            try expect(try await client.execute(uri: uri, method: .get), .badRequest, sentence)
        }
    }

    @Test("on a nearly full disk registrations are refused, an unregister and reads are not, until there is space")
    func lowSpace() async throws {
        let free = TestService.Box(2_000)
        var limits = StoreLimits()
        limits.minimumFreeBytes = 1_000
        let service = try TestService(limits: limits, conditions: StoreConditions(freeBytes: { _ in free.value }))
        try await service.run { client in
            expectDone(try await client.register())
            free.value = 1_999
            for response in [
                try await client.register(), try await client.send(.put, "/v1/push/update", try registration()),
            ] {
                try expect(response, .serviceUnavailable, "try again later")
                #expect(response.headers[.retryAfter] == "60")
                #expect(try !response.error().contains("/"))
            }
            #expect(try await client.status().text.contains(#""registered":true"#))
            expectDone(try await client.send(.delete, "/v1/push/unregister", ["device_token": token]))
            #expect(try await client.status().text.contains(#""registered":false"#))
            free.value = 2_000
            expectDone(try await client.register())
        }
    }

    @Test("a registration whose sync fails is not answered with success, nor is any after it")
    func failedSync() async throws {
        let service = try TestService(
            conditions: StoreConditions(before: { (step) throws(StoreError) in
                if step == .sync { throw StoreError(.inputOutput, "sync: IO error: No space left on device") }
            }))
        try await service.run { client in
            for _ in 0..<2 { try expect(try await client.register(), .serviceUnavailable, "try again later") }
            try expect(
                try await client.send(.delete, "/v1/push/unregister", ["device_token": token]), .serviceUnavailable,
                "try again later")
        }
        #expect(service.store.trouble?.code == .stopped)
    }

    @Test("a damaged row is the service's fault, and the answer says nothing about it")
    func internalError() async throws {
        let service = try TestService()
        try await service.damage(token)
        try await service.run { client in
            for response in [
                try await client.status(), try await client.register(),
                try await client.send(.delete, "/v1/push/unregister", ["device_token": token]),
            ] {
                #expect(response.status == .internalServerError)
                let sentence = try response.error()
                #expect(!sentence.contains("row") && !sentence.contains("/"), "\(sentence)")
            }
        }
    }
}
