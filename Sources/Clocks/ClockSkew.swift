/// How far the machine's wall clock is from the chain's time.
public struct ClockSkew: Equatable, Sendable {
    /// The tolerated difference, milliseconds.
    ///
    /// The chain's time is the median of its last blocks, some two minutes old.
    public static let tolerated: UInt64 = 600_000

    /// Milliseconds that the wall clock is ahead; negative if it is behind.
    public let ahead: Int64

    /// Compares the two, milliseconds since 1970.
    public init(wall: UInt64, chain: UInt64) {
        ahead =
            wall >= chain ? Int64(clamping: wall - chain) : -Int64(clamping: chain - wall)
    }

    /// Whether the difference is tolerated.
    public var isTolerated: Bool { ahead.magnitude <= ClockSkew.tolerated }

    /// The problem in a sentence for the operator.
    ///
    /// It stays the same until the minutes, hours or days change.
    public var sentence: String {
        let text = ClockSkew.text(ofMilliseconds: ahead.magnitude)
        return "this machine's clock is \(text) \(ahead > 0 ? "ahead of" : "behind") the chain's time: "
            + "set it (timedatectl set-ntp true). Meanwhile the chain's time is taken; certificates are still checked by the machine's"
    }

    private static func text(ofMilliseconds time: UInt64) -> String {
        let minutes = time / 60_000
        return switch minutes {
        case ..<120: "\(minutes) minutes"
        case ..<2_880: "\(minutes / 60) hours"
        default: "\(minutes / 1_440) days"
        }
    }
}
