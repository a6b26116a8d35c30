import Testing

@testable import KasiaPushClient

/// How the counter of a device's key goes on.
@Suite struct DeviceKeyCounterTests {
    @Test(arguments: [(0 as UInt64, 1 as UInt64?), (41, 42), (.max - 1, .max), (.max, nil)])
    func itGrowsByOne(_ last: UInt64, _ next: UInt64?) {
        #expect(DeviceKeyCounter.next(after: last) == next)
    }

    @Test(arguments: [5, 1 << 32, 1 << 40, 1 << 47] as [UInt64])
    func aFewLeapsCatchUpWithALostOne(_ known: UInt64) {
        var (counter, leaps) = (0 as UInt64, 0)
        while counter < known {
            counter = DeviceKeyCounter.raised(counter)
            leaps += 1
        }
        #expect(leaps <= 2 * RegistrationMachine.counterRetries)
    }

    @Test func itDoesNotOverflow() {
        var counter = 0 as UInt64
        for _ in 0..<100 { counter = DeviceKeyCounter.raised(counter) }
        #expect(counter <= UInt64(Int64.max))
    }
}
