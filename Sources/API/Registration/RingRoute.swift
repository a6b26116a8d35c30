import JSON
import Hummingbird
import Kaspa
import Push
import Store

/// `POST /v1/push/ring`: a caller's phone asks that the callee's phones ring (app developer guide, "Ring").
struct RingRoute: Sendable {
    /// The calls a minute that a wallet may make, and those that a wallet may get.
    static let perCaller = 6
    static let perCallee = 20
    /// Hexadecimal digits of a call's payload: 2 KB.
    static let payloadDigits = 4_096
    /// `Retry-After` when too many calls wait, seconds.
    static let pauseSeconds = 5

    let registry: DeviceRegistry
    let authorizer: RegistrationAuthorizer
    /// The ringer; nil if pushes are not configured.
    let ringer: Ringer?
    private let callers = TokenBuckets(perMinute: RingRoute.perCaller)
    private let callees = TokenBuckets(perMinute: RingRoute.perCallee)
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        registry: DeviceRegistry, authorizer: RegistrationAuthorizer, ringer: Ringer?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.registry = registry
        self.authorizer = authorizer
        self.ringer = ringer
        self.now = now
    }

    func add(to routes: RouterGroup<APIRequestContext>) {
        routes.post("ring") { request, context in try await authorizer.answer("ring", request, context, ring) }
    }

    private func ring(_ call: RegistrationCall) async throws -> JSONAnswer {
        let token = try call.body.deviceToken()
        guard let auth = try call.body.auth() else { throw APIError.unauthorized("auth is required") }
        let asked = try call.body.ring()
        var content = call.content(token: token)
        content.primaryAddress = auth.walletAddress.description
        let proof = try await authorizer.proveOnce(call, content, auth)
        let caller = proof.wallet
        guard try await registry.device(token: token.bytes)?.walletAddress == caller else {
            throw APIError(
                status: .forbidden,
                message: "device_token is not bound to the wallet that signed: register it with auth first")
        }
        // This also checks the counter of a device key that signs beside the wallet.
        _ = try await registry.device(token: token.bytes, proof: proof, mayBeUnbound: false)
        guard let ringer else { throw RingRoute.unavailable("pushes are not configured on this server") }
        if let wait = callers.take(caller.payload, now: now()) {
            throw APIError.tooMany("calls by this wallet", wait: wait)
        }
        if let wait = callees.take(asked.callee.storageKey, now: now()) {
            throw APIError.tooMany("calls to this address", wait: wait)
        }
        let ring = Ring(
            caller: caller, callee: asked.callee, callID: asked.callID, kind: asked.kind, isVideo: asked.isVideo,
            payload: asked.payload)
        guard try await ringer.ring(ring, from: DeviceID(token: token.bytes)) != .busy else {
            throw RingRoute.unavailable("too many calls are waiting")
        }
        return .object([])
    }

    private static func unavailable(_ message: String) -> APIError {
        APIError(status: .serviceUnavailable, message: message, headers: [.retryAfter: "\(pauseSeconds)"])
    }
}

extension RegistrationRequest {
    /// A requested call before the caller's signature is checked.
    struct AskedRing {
        let callee: Address
        let callID: String
        let kind: Ring.Kind
        let isVideo: Bool
        let payload: String
    }

    /// The members of a call but for its token and signature; the server's own time is sent, not the member
    /// `timestamp`.
    func ring() throws -> AskedRing {
        let kinds = Ring.Kind.allCases.map(\.rawValue).joined(separator: " or ")
        guard let kind = Ring.Kind(rawValue: try text("kind")) else {
            throw APIError.badRequest("kind must be \(kinds)")
        }
        let callID = try text("call_id")
        guard RegistrationRequest.isLowerCaseUUID(callID) else {
            throw APIError.badRequest("call_id must be a UUID in lower case")
        }
        guard case .boolean(let isVideo) = present("video") ?? .boolean(false) else {
            throw APIError.badRequest("video must be true or false")
        }
        let payload = try present("payload") == nil ? "" : text("payload")
        guard payload.utf8.count <= RingRoute.payloadDigits, Hex.decode(payload) != nil else {
            throw APIError.badRequest("payload must be at most \(RingRoute.payloadDigits) hex digits, an even number")
        }
        return AskedRing(
            callee: try Address.parse(try text("to_address").trimmed, naming: "to_address", on: network),
            callID: callID,
            kind: kind, isVideo: isVideo, payload: payload)
    }

    private static func isLowerCaseUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                switch index {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default: Hex.digit(byte) != nil && !(0x41...0x5a).contains(byte)
                }
            }
    }
}
