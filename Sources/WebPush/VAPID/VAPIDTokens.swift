import Carriers
import Clocks
import HTTP2Client
import JSON
import Synchronization

/// The signed tokens of RFC 8292, one for each origin.
///
/// A token is good for twelve hours, and is used for six. Its age is told by the clock that cannot jump; when the wall
/// clock was set since it was made, another is made.
final class VAPIDTokens: Sendable {
    /// How long a token is good.
    static let life: UInt64 = 12 * 3_600
    /// How long it is used, in milliseconds: half of its life.
    static let use = life * 1_000 / 2
    /// How far the two clocks may part before the wall clock counts as set, in milliseconds.
    static let toleratedJump: UInt64 = 60_000
    /// The most origins that a token is kept for; the one that was used longest ago is forgotten.
    static let maximumOrigins = 1_024

    private struct Kept {
        let fields: SharedFields
        let wall: UInt64
        let uptime: UInt64
        var lastUse: UInt64
    }

    private struct State {
        var kept: [String: Kept] = [:]
        var uses: UInt64 = 0
        /// How many tokens have been made.
        var generation = 0
    }

    private let key: VAPIDKey
    private let subject: String
    private let clock: MachineClock
    private let state = Mutex(State())

    /// `subject` is the operator's `mailto:` or `https:` URL.
    init(key: VAPIDKey, subject: String, clock: MachineClock) {
        self.key = key
        self.subject = subject
        self.clock = clock
    }

    /// The origins that a token is kept for.
    var count: Int { state.withLock { $0.kept.count } }

    /// The header fields that all pushes to an origin share, its token among them.
    func fields(for origin: String) throws -> SharedFields {
        let (wall, uptime) = (clock.wall(), clock.uptime())
        return try state.withLock { state in
            state.uses += 1
            if let kept = state.kept[origin], VAPIDTokens.isUsable(kept, wall: wall, uptime: uptime) {
                state.kept[origin]?.lastUse = state.uses
                return kept.fields
            }
            let token = try make(for: origin, at: wall / 1_000)
            state.generation += 1
            let fields = SharedFields(
                [
                    HeaderField("authorization", "vapid t=\(token),k=\(key.publicKeyText)"),
                    HeaderField("content-encoding", "aes128gcm"),
                    HeaderField("content-type", "application/octet-stream"), HeaderField("urgency", "high"),
                ], generation: state.generation)
            state.kept[origin] = Kept(fields: fields, wall: wall, uptime: uptime, lastUse: state.uses)
            if state.kept.count > VAPIDTokens.maximumOrigins,
                let oldest = state.kept.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.kept[oldest.key] = nil
            }
            return fields
        }
    }

    /// Has another token made for an origin that refused this one.
    func forget(_ origin: String, _ fields: SharedFields) {
        state.withLock { if $0.kept[origin]?.fields === fields { $0.kept[origin] = nil } }
    }

    private static func isUsable(_ kept: Kept, wall: UInt64, uptime: UInt64) -> Bool {
        let age = uptime - min(uptime, kept.uptime)
        let expected = kept.wall + age
        return age < use && max(wall, expected) - min(wall, expected) <= toleratedJump
    }

    /// A token for an origin, made at this moment in UNIX seconds.
    private func make(for origin: String, at now: UInt64) throws -> String {
        var header = JSONWriter()
        header.object { json in
            json.member("typ", "JWT")
            json.member("alg", "ES256")
        }
        var claims = JSONWriter()
        claims.object { json in
            json.member("aud", origin)
            json.member("exp", now + VAPIDTokens.life)
            json.member("sub", subject)
        }
        let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8)))
    }
}
