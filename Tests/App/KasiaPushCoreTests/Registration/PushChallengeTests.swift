import Foundation
import KasiaPushCore
import Testing

@Suite("Challenges")
struct PushChallengeTests {
    @Test("are read as the service writes them")
    func coding() throws {
        let json =
            #"{"nonce":"5b9b76474823624f5f3e52ad1f5e7985","issued_at_ms":1767225600000,"expires_at_ms":1767225660000}"#
        let challenge = try JSONDecoder().decode(PushChallenge.self, from: Data(json.utf8))
        #expect(
            challenge
                == PushChallenge(
                    nonce: "5b9b76474823624f5f3e52ad1f5e7985", issuedAt: 1_767_225_600_000,
                    expiresAt: 1_767_225_660_000))
        let again = try JSONDecoder().decode(PushChallenge.self, from: JSONEncoder().encode(challenge))
        #expect(again == challenge)
    }
}
