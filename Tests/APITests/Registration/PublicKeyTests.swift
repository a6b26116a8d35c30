import Carriers
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import API

@Suite("The operator's public keys")
struct PublicKeyTests {
    @Test("the key that a page subscribes with is told to everybody, if there is one")
    func vapid() async throws {
        try await TestService().run { client in
            let answer = try await client.execute(uri: "/v1/push/vapid", method: .get)
            #expect(answer.status == .ok)
            #expect(answer.text == #"{"public_key":"\#(TestSubscription.publicKey)"}"#)
        }
        try await TestService(vapidPublicKey: nil).run { client in
            try expect(
                try await client.execute(uri: "/v1/push/vapid", method: .get), .notFound,
                "Web Push is not served here: the operator has not configured web_push.*")
        }
    }

    @Test("the key that signs pushes is told to everybody, and another one as soon as it signs")
    func signing() async throws {
        let signer = PushSigner(.make())
        try await TestService(signingKey: signer).run { client in
            for _ in 0..<2 {
                let answer = try await client.execute(uri: "/v1/push/key", method: .get)
                #expect(answer.status == .ok)
                let key = signer.publicKey
                #expect(
                    answer.text
                        == #"{"algorithm":"ed25519","public_key":"\#(key.text)","key_id":"\#(key.keyID)"}"#)
                signer.replaceKey(.make())
            }
        }
        try await TestService(signingKey: nil).run { client in
            try expect(
                try await client.execute(uri: "/v1/push/key", method: .get), .notFound,
                "pushes are not signed here: the operator has not configured push.signing_key_path")
        }
    }
}
