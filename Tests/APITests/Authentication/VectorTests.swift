import Foundation
import HTTPTypes
import HummingbirdTesting
import JSON
import Kaspa
import Store
import Testing

@testable import API

/// `shared/vectors/registration-auth.json`, made with independent libraries: as it stands.
@Suite("Registration vectors")
struct VectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let network: String
        let now: UInt64
        let method: String
        let path: String
        let request: Data
        let preimage: String
        let devicePreimage: String?
        let isValid: Bool
        var testDescription: String { name }
    }

    static let vectors: [Vector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/vectors/registration-auth.json")
        guard let data = try? Data(contentsOf: file),
            let list = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
        else { return [] }
        return list.compactMap { entry in
            guard let name = entry["name"] as? String, let network = entry["network"] as? String,
                let now = entry["now_ms"] as? UInt64, let method = entry["method"] as? String,
                let path = entry["path"] as? String, let preimage = entry["preimage"] as? String,
                let isValid = entry["valid"] as? Bool, let request = entry["request"],
                let body = try? JSONSerialization.data(withJSONObject: request)
            else { return nil }
            return Vector(
                name: name, network: network, now: now, method: method, path: path, request: body, preimage: preimage,
                devicePreimage: entry["device_preimage"] as? String, isValid: isValid)
        }
    }()

    @Test("there are all sixteen")
    func count() { #expect(Self.vectors.count == 16) }

    @Test("the signed texts are byte for byte those of the vector", arguments: vectors.filter(\.isValid))
    func preimages(vector: Vector) throws {
        guard case .object(let members) = try JSONParser.parse(Array(vector.request)) else {
            Issue.record("no object")
            return
        }
        let network = try #require(Network(vector.network))
        let request = RegistrationRequest(members: members, network: network)
        let auth = try #require(try request.auth())
        let content =
            vector.path.hasSuffix("unregister")
            ? SignedContent(method: vector.method, path: vector.path, token: try request.deviceToken())
            : SignedContent(
                method: vector.method, path: vector.path,
                registration: try request.registration(needsPlatform: vector.path.hasSuffix("/register")))
        #expect(content.walletPreimages(auth).contains { $0.text == vector.preimage })
        if let expected = vector.devicePreimage {
            #expect(content.devicePreimages(auth, try #require(auth.device)).contains { $0.text == expected })
        }
    }

    @Test("over the wire a valid one is 200 once, an invalid one 400 or 401", arguments: vectors)
    func answers(vector: Vector) async throws {
        let object = try #require(JSONSerialization.jsonObject(with: vector.request) as? [String: Any])
        let nonce = try #require(Hex.decode((object["auth"] as? [String: Any])?["nonce"] as? String ?? ""))
        let service = try TestService(
            network: try #require(Network(vector.network)), randomNonce: { Array(nonce.prefix(8)) },
            sealNonce: { _, _, _ in Array(nonce.suffix(8)) })
        try await service.run { client in
            service.clock.value = 1_767_225_600_000
            _ = try await client.execute(uri: "/v1/push/challenge", method: .get)
            service.clock.value = vector.now
            let method = try #require(HTTPRequest.Method(rawValue: vector.method))
            let answer = try await client.send(method, vector.path, bytes: Array(vector.request))
            if vector.isValid {
                expectDone(answer)
                let again = try await client.send(method, vector.path, bytes: Array(vector.request))
                try expect(again, .unauthorized, "auth.nonce is unknown or was used")
            } else {
                #expect([400, 401].contains(answer.status.code), "\(answer.text)")
                #expect(try service.usedNonces() == 0, "the nonce is not used up")
                #expect(try await service.store.totals().devices == 0)
            }
        }
    }
}
