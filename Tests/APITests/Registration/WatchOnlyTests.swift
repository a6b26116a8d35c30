import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

@Suite("Watch-only addresses of a registration")
struct WatchOnlyTests {
    @Test("They are stored normalised and once each, and indexed beside the others")
    func stored() async throws {
        let service = try TestService()
        let all = try addresses(3)
        try await service.run { client in
            expectDone(
                try await client.register(["watch_only_addresses": [all[1].uppercased(), " \(all[2])\n", all[1], ""]]))
        }
        let device = try #require(try await service.device(token))
        #expect(device.watchOnlyAddresses.map(\.description) == [all[1], all[2]])
        #expect(device.watchedAddresses.map(\.description) == [all[0]])
        #expect(try await service.store.totals().watchEntries == 3)
        #expect(!service.store.registry.watchedScripts.isEmpty)
    }

    @Test("A later registration without them takes them away", arguments: ["register", "update"], [true, false])
    func cleared(call: String, isNull: Bool) async throws {
        let service = try TestService()
        let all = try addresses(2)
        try await service.run { client in
            expectDone(try await client.register(["watch_only_addresses": [all[1]]]))
            var members = try registration()
            if isNull { members["watch_only_addresses"] = NSNull() }
            expectDone(try await client.send(.post, "/v1/push/\(call)", members))
        }
        #expect(try #require(try await service.device(token)).watchOnlyAddresses.isEmpty)
        #expect(try await service.store.totals().watchEntries == 1)
    }

    @Test("There are at most 200", arguments: [199, 200, 201])
    func limit(count: Int) async throws {
        let service = try TestService()
        try await service.run { client in
            let response = try await client.register(["watch_only_addresses": try addresses(count)])
            guard count > 200 else { return expectDone(response) }
            try expect(
                response, .badRequest, "watch_only_addresses has \(count) entries; at most 200 are allowed")
        }
        #expect(try await service.device(token)?.watchOnlyAddresses.count == (count > 200 ? nil : count))
    }

    @Test("A bad entry refuses the whole request and is named")
    func mistakes() async throws {
        let service = try TestService()
        let foreign = try addresses(1, prefix: .kaspatest)[0]
        try await service.run { client in
            for (value, part) in [
                (["nonsense"], "watch_only_addresses[0]"), ([try addresses(1)[0], foreign], "watch_only_addresses[1]"),
                ([String(repeating: "k", count: 129)], "watch_only_addresses[0] is longer than 128 bytes"),
            ] {
                try expect(try await client.register(["watch_only_addresses": value]), .badRequest, part)
            }
            try expect(
                try await client.register(["watch_only_addresses": "text"]), .badRequest,
                "watch_only_addresses must be a list of strings")
            try expect(
                try await client.register(["watch_only_addresses": [7]]), .badRequest,
                "watch_only_addresses[0] must be a string")
            // They are no watch list; only watched addresses, groups and the primary address are.
            try expect(
                try await client.register([
                    "watched_addresses": [String](), "watch_only_addresses": try addresses(1),
                ]), .badRequest, "nothing to watch")
        }
        #expect(try await service.device(token) == nil)
    }

    @Test("The status of a device tells them apart, and an unregister leaves nothing")
    func statusAndUnregister() async throws {
        let service = try TestService()
        let all = try addresses(2)
        try await service.run { client in
            expectDone(try await client.register(["watch_only_addresses": [all[1]]]))
            let text = try await client.status().text
            #expect(text.contains(#""watched_addresses":["\#(all[0])"]"#))
            #expect(text.contains(#""watch_only_addresses":["\#(all[1])"]"#))
            expectDone(try await client.send(.post, "/v1/push/unregister", ["device_token": token]))
        }
        #expect(try await service.store.totals().watchEntries == 0)
        #expect(try service.store.checkBooks().isSound)
    }
}
