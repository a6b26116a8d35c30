import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Logging
import NIOCore
import RecordedLogs
import Store
import Testing
import TestRandom

@testable import API

@Suite("RegistrationAuthorizer")
struct RegistrationAuthorizerTests {
    let owner: TestWallet
    let key: TestDeviceKey

    init() throws {
        owner = try TestWallet("owner")
        key = try TestDeviceKey("phone")
    }

    @Test("a nonce from two connections at once gives one success", .timeLimit(.minutes(10)))
    func replay() async throws {
        let service = try TestService()
        try await service.run(.live) { client in
            let port = try #require(client.port)
            for _ in 0..<20 {
                let body = try JSONSerialization.data(withJSONObject: try await client.challenged(owner).body())
                let request =
                    Array(
                        "POST /v1/push/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: \(body.count)\r\n\r\n"
                            .utf8) + body
                let answers = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<2 { group.addTask { try await RawConnection.exchange(request, port: port) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.count { $0.hasPrefix("HTTP/1.1 200 ") } == 1, "\(answers)")
                #expect(answers.count { $0.contains("auth.nonce is unknown or was used") } == 1, "\(answers)")
            }
        }
    }

    @Test("ten thousand wrong requests leave the nonces as they are and nothing else behind", .timeLimit(.minutes(5)))
    func wrongRequests() async throws {
        let service = try TestService(rateLimitPerMinute: 0)
        var random = SeededRandom()
        try await service.run { [random] client in
            var random = random
            let request = try await client.challenged(owner)
            let good = String(decoding: try JSONSerialization.data(withJSONObject: request.body()), as: UTF8.self)
            var codes: [Int: Int] = [:]
            for _ in 0..<10_000 {
                var bytes = Array(good.utf8)
                // One byte inside a value or a name, never the same as before.
                let index = Int.random(in: 1..<bytes.count - 1, using: &random)
                let byte = UInt8.random(in: 0x21...0x7e, using: &random)
                if bytes[index] == byte { continue }
                bytes[index] = byte
                let answer = try await client.send(.post, "/v1/push/register", bytes: bytes)
                codes[Int(answer.status.code), default: 0] += 1
                // Case means nothing in hex and base64 padding; what is not signed may change.
                if answer.status == .ok { break }
            }
            #expect(codes.keys.allSatisfy { [200, 400, 401].contains($0) }, "\(codes), seed \(random.seed)")
            #expect(try service.usedNonces() <= 1)
            #expect(try await service.store.totals().devices <= 1)
            for _ in 0..<10_000 {
                var forged = try request.body()
                var auth = try #require(forged["auth"] as? [String: Any])
                auth["signature"] = String(repeating: "0", count: 128)
                forged["auth"] = auth
                let answer = try await client.send(.post, "/v1/push/register", forged)
                #expect(answer.status == .unauthorized)
            }
            #expect(try service.usedNonces() <= 1)
        }
        _ = random.next()
    }

    @Test("no log line has more than the end of a token, an address or a key", arguments: [true, false])
    func logs(isSigned: Bool) async throws {
        let log = RecordedLogs()
        let service = try TestService(logger: log.logger)
        let watched = try addresses(2)
        try await service.run(.live) { client in
            if isSigned {
                for (number, (method, call)) in UnsignedRequestTests.calls.enumerated() {
                    var request = try await client.challenged(owner, method, "/v1/push/\(call)", form: .two)
                    request.deviceKey = key
                    request.counter = UInt64(number + 1)
                    expectDone(try await client.send(request))
                    // And one that is refused.
                    #expect(try await client.send(request).status == .unauthorized)
                }
                _ = try await client.send(try await client.challenged(owner, .post, "/v1/push/devices"))
                _ = try await client.send(try await client.challenged(owner, .delete, "/v1/push/wallet"))
            } else {
                for (method, call) in UnsignedRequestTests.calls {
                    expectDone(
                        try await client.send(
                            method, "/v1/push/\(call)", try registration(["aliases": ["secretalias"]])))
                }
                _ = try await client.register(["watched_addresses": ["kaspa:nonsense"]])
            }
            _ = try await client.status()
            try await service.damage(token)
            _ = try await client.register()
            _ = try await client.status()
        }
        #expect(!log.events.isEmpty)
        let text = log.events.map(\.text).joined(separator: "\n").lowercased()
        let secrets =
            [token, owner.address.description, Hex.encode(owner.publicKey), key.keyID, "secretalias", "nonsense"]
            + watched + [key.key.publicKey.x963Representation.base64EncodedString().lowercased()]
        for secret in secrets {
            for start in stride(from: 0, to: max(1, secret.count - 9), by: 1) {
                let part = String(secret.dropFirst(start).prefix(9))
                // What all addresses begin with says nothing.
                if part.hasPrefix("kaspa:") || "kaspa:q".contains(part) { continue }
                #expect(!text.contains(part), "\(part)")
            }
        }
        if !isSigned {
            #expect(text.contains("api.registration.unsigned"))
            #expect(text.components(separatedBy: "api.registration.unsigned_requests").count == 2, "once a minute")
        }
    }

    @Test("the whole trace of a token is gone after a signed unregister")
    func trace() async throws {
        let service = try TestService()
        try await service.run { client in
            var request = try await client.challenged(owner, form: .two)
            request.deviceKey = key
            expectDone(try await client.send(request))
            expectDone(try await client.send(try await client.challenged(owner, .delete, "/v1/push/unregister")))
        }
        #expect(try await service.device(token) == nil)
        #expect(try await service.store.registry.devices(ofWallet: owner.address) == [])
        let totals = try await service.store.totals()
        #expect(totals.devices == 0 && totals.watchEntries == 0 && totals.deliveries == 0)
    }

    @Test("challenges have an allowance of their own", .timeLimit(.minutes(10)))
    func challengeLimit() async throws {
        try await TestService(rateLimitPerMinute: 3).run(.live) { client in
            // Ten for each change: the phones behind one address each ask for one.
            for _ in 0..<30 { #expect(try await client.execute(uri: "/v1/push/challenge", method: .get).status == .ok) }
            let answer = try await client.execute(uri: "/v1/push/challenge", method: .post)
            try expect(answer, .tooManyRequests, "try again in 2 s")
            #expect(answer.headers[.retryAfter] == "2")
            for _ in 0..<3 { expectDone(try await client.register()) }
            #expect(try await client.register().status == .tooManyRequests)
        }
    }

    @Test("a challenge has a nonce and its times, and no proxy may cache it")
    func challenge() async throws {
        let service = try TestService(
            randomNonce: { (0..<8).map { UInt8($0) } }, sealNonce: { _, _, _ in (8..<16).map { UInt8($0) } })
        try await service.run { client in
            for method in [HTTPRequest.Method.get, .post] {
                let answer = try await client.execute(uri: "/v1/push/challenge", method: method)
                #expect(
                    answer.text
                        == #"{"nonce":"000102030405060708090a0b0c0d0e0f","issued_at_ms":1704067200999,"#
                        + #""expires_at_ms":1704067260999}"#)
                #expect(answer.headers[.cacheControl] == "no-store")
            }
        }
    }
}
