import Clocks
import Testing

@Suite("Milliseconds of a duration")
struct DurationMillisecondsTests {
    @Test(
        "are whole, and rounded as the name says",
        arguments: [
            (Duration.zero, 0, 0), (.nanoseconds(1), 0, 1), (.nanoseconds(999_999), 0, 1), (.milliseconds(1), 1, 1),
            (.nanoseconds(1_000_001), 1, 2), (.seconds(2) + .milliseconds(999), 2_999, 2_999),
            (.seconds(2) + .nanoseconds(999_999_999), 2_999, 3_000), (.milliseconds(-1), 0, 0),
            (.seconds(-1), 0, 0), (.seconds(Int64.max), .max, .max),
            (.seconds(18_446_744_073_709_551), 18_446_744_073_709_551_000, 18_446_744_073_709_551_000),
            (.seconds(18_446_744_073_709_552), .max, .max),
        ] as [(Duration, UInt64, UInt64)])
    func rounding(duration: Duration, down: UInt64, up: UInt64) {
        #expect(duration.millisecondsRoundedDown == down)
        #expect(duration.millisecondsRoundedUp == up)
    }
}
