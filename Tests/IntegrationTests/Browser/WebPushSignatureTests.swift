import CSecp256k1
import Foundation
import Kaspa
import Testing

/// The signatures and addresses that the example page makes, against vectors of independent libraries and libsecp256k1.
///
/// Skipped, and said so, where chromium is not installed.
@Suite(
    "WebPushPage signatures", .timeLimit(.minutes(5)),
    .enabled(if: Browser.executable != nil, "chromium is not installed: deploy/install-deps.sh --tests"))
struct WebPushSignatureTests {
    private static func vectors(_ name: String) throws -> String {
        try String(contentsOf: Fixture.folder.appendingPathComponent("vectors/\(name).json"), encoding: .utf8)
    }

    /// A tab with the page's functions; nothing is asked of an indexer.
    private static func withPage(_ body: @Sendable (BrowserTab) async throws -> Void) async throws {
        // Port 9 is discard, which nothing serves on loopback.
        try await WebPushPageServer.with(indexer: 9) { server in
            let tab = try await Browser().open()
            try await tab.go(to: server.origin + "/")
            try await body(tab)
        }
    }

    @Test("The page verifies the vectors' signatures, refuses altered ones, and builds the texts of version 2")
    func registrations() async throws {
        let vectors = try Self.vectors("registration-auth")
        try await Self.withPage { tab in
            let checked = try await tab.strings(Self.check + "(\(vectors))")
            let wrong = checked.filter { $0.hasPrefix("wrong") }
            #expect(wrong == [])
            #expect(checked.count { $0 == "signature" } == 16)
            #expect(checked.count { $0 == "text" } == 2)
        }
    }

    /// Answers what was right of each vector, and what was wrong.
    private static let check = """
        (async vectors => {
          const checked = [];
          const check = (what, isRight, name) => checked.push(isRight ? what : `wrong ${what}: ${name}`);
          for (const {name, request, preimage, method, path, valid} of vectors) {
            const auth = request.auth;
            const [key, digest] = [fromHex(auth.wallet_pubkey), await sha256(utf8(preimage))];
            const signature = fromHex(auth.signature);
            const isBroken = ["signature altered", "signature short"].includes(name);
            check("signature", await schnorr.verify(key, digest, signature) !== isBroken, name);
            for (const at of [0, 31, 32, 63]) {
              const altered = signature.map((byte, index) => index === at ? byte ^ 2 : byte);
              check("alteration", !await schnorr.verify(key, digest, altered), `${name}, byte ${at}`);
            }
            check("other message", !await schnorr.verify(key, await sha256(digest), signature), name);
            const address = auth.wallet_address.trim().toLowerCase();
            if (valid) check("address", kaspaAddress(key, address.split(":")[0]) === address, name);
            if (auth.auth_version !== 2) continue;
            const token = request.device_token.replace(/[ <>:-]/g, "").toLowerCase();
            const text = await signedText(request, auth, method, path, token);
            const [domain] = preimage.split("\\n");
            check("text", text.replace("domain=kasia-push-auth:v2", domain) === preimage, name);
          }
          return checked;
        })
        """

    @Test("The page makes the signature that BIP-340 gives for its first key, and the vectors' keys and addresses")
    func known() async throws {
        let (messages, addresses) = (try Self.vectors("messages"), try Self.vectors("addresses"))
        try await Self.withPage { tab in
            let secret = "fromHex('3'.padStart(64, '0'))"
            let made = try await tab.strings(
                """
                schnorr.sign(\(secret), new Uint8Array(32), new Uint8Array(32))
                  .then(signature => [toHex(schnorr.publicKey(\(secret))), toHex(signature)])
                """)
            #expect(
                made == [
                    "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
                    "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
                        + "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0",
                ])
            let wrong = try await tab.strings(
                """
                (() => {
                  const {aliases} = \(messages);
                  const {valid} = \(addresses);
                  const keys = aliases.filter(one => toHex(schnorr.publicKey(fromHex(one.my_secret))) !== one.my_key)
                    .map(one => one.my_key);
                  const schnorrAddresses = valid.filter(one => one.version === 0);
                  if (aliases.length < 3 || schnorrAddresses.length < 3) return ["too few vectors"];
                  return [...keys, ...schnorrAddresses.map(one => one.address).filter((address, at) =>
                    kaspaAddress(fromHex(schnorrAddresses[at].payload), address.split(":")[0]) !== address)];
                })()
                """)
            #expect(wrong == [])
        }
    }

    @Test("libsecp256k1 verifies what the page signs, with keys of even and of odd y")
    func signatures() async throws {
        try await Self.withPage { tab in
            let made = try await tab.strings(
                """
                (async () => {
                  const all = [];
                  for (let number = 1; number <= 16; number += 1) {
                    const secret = await sha256(utf8(`key ${number}`));
                    const message = await sha256(utf8(`message ${number}`));
                    const signature = await schnorr.sign(secret, message);
                    all.push([schnorr.publicKey(secret), message, signature].map(toHex).join(" "));
                  }
                  return all;
                })()
                """)
            #expect(made.count == 16)
            for line in made {
                let parts = line.split(separator: " ").compactMap { Hex.decode(String($0)) }
                try #require(parts.count == 3)
                #expect(try Self.verifies(key: parts[0], message: parts[1], signature: parts[2]), "\(line)")
            }
        }
    }

    private static func verifies(key: [UInt8], message: [UInt8], signature: [UInt8]) throws -> Bool {
        let context = try #require(secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)))
        defer { secp256k1_context_destroy(context) }
        var point = secp256k1_xonly_pubkey()
        try #require(secp256k1_xonly_pubkey_parse(context, &point, key) == 1)
        return secp256k1_schnorrsig_verify(context, signature, message, message.count, &point) == 1
    }
}
