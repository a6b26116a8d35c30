import Crypto
import Dispatch
import Kaspa

/// A key that everybody knows, and no used nonces; for a request that is let in, `use` would be called.
private struct OneKey: NonceStorage {
    static let key = [UInt8](repeating: 1, count: 32)

    func nonceKey() -> [UInt8]? { OneKey.key }
    func makeNonceKey() -> [UInt8] { OneKey.key }
    func wasUsed(_ nonce: NonceUse) -> Bool { false }
    func use(_ nonce: NonceUse) -> Bool { fatalError("a nonce was used up without a signature") }
}

/// The challenge that the nonces of `OneKey` give out at 1000.
private let challenge: Nonces.Challenge = {
    let random = [UInt8](repeating: 7, count: 8)
    let expiresAt = 1000 + Nonces.lifetime
    return Nonces.Challenge(
        nonce: Hex.encode(random + Nonces.mac(OneKey.key, random, expiresAt)), issuedAt: 1000, expiresAt: expiresAt)
}()

/// Takes whatever libFuzzer comes up with through the signature path: nothing it can write may be let in, and no nonce
/// used up.
///
/// The input is a request's body; half the time its `auth` is bent so that the checks before the signatures hold.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSignature(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    primitives(input)
    guard case .object(let members) = try? JSONParser.parse(input) else { return 0 }
    for isBent in [false, true] {
        let nonces = Nonces(storage: OneKey(), now: { 1000 }, random: { [UInt8](repeating: 7, count: 8) })
        let authenticator = Authenticator(network: .mainnet, nonces: nonces, now: { 1000 })
        var members = members
        if isBent, case .object(var auth)? = members["auth"] { members["auth"] = .object(bend(&auth, challenge)) }
        let request = RegistrationRequest(members: members, network: .mainnet)
        guard let auth = try? request.auth() else { continue }
        let token = try? request.deviceToken()
        let content =
            (try? request.registration(needsPlatform: false)).map {
                SignedContent(method: "POST", path: "/", registration: $0)
            } ?? SignedContent(method: "POST", path: "/", token: token)
        for text in content.walletPreimages(auth).map(\.text) where text.hasSuffix("\n") || !text.hasPrefix("domain=") {
            fatalError("a signed text of another form")
        }
        waiting {
            if (try? await authenticator.prove(auth, of: content)) != nil {
                fatalError("a forged signature was let in")
            }
            if (try? await authenticator.proveRemoval(auth, of: content)) != nil {
                fatalError("a forged removal was let in")
            }
        }
    }
    return 0
}

/// libFuzzer calls a function that is not asynchronous, and one input at a time.
private func waiting(for body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        await body()
        done.signal()
    }
    done.wait()
}

/// Makes the challenge, the times and the address right, so that only the signatures are left to fail.
private func bend(_ auth: inout [String: JSONValue], _ challenge: Nonces.Challenge) -> [String: JSONValue] {
    auth["nonce"] = .string(challenge.nonce)
    auth["timestamp_ms"] = .integer(challenge.issuedAt)
    auth["expires_at_ms"] = .integer(challenge.expiresAt)
    if case .string(let text)? = auth["wallet_pubkey"], let key = Hex.decode(text),
        let address = Address(prefix: .kaspa, version: .schnorr, payload: key)
    {
        auth["wallet_address"] = .string(address.description)
    }
    return auth
}

/// The verifiers and decoders themselves, with raw bytes.
private func primitives(_ input: [UInt8]) {
    let digest = SHA256.hash(data: [1])
    let key = Array(input.prefix(65))
    let signature = Array(input.dropFirst(65).prefix(80))
    if DeviceSignature.isValid(signature, of: digest, by: key) { fatalError("a forged device signature holds") }
    if WalletSignature.isValid(Array(signature.prefix(64)), of: Array(digest), by: Array(key.prefix(32))) {
        fatalError("a forged wallet signature holds")
    }
    if let bytes = Base64Text.decode(String(decoding: input, as: UTF8.self)), bytes.count > input.count {
        fatalError("base64 that grows")
    }
    let half = input.count / 2
    let (left, right) = (Array(input.prefix(half)), Array(input.suffix(half)))
    if ConstantTime.equal(left, right) != (left == right) { fatalError("a comparison that errs") }
}
