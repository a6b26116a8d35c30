import Testing

@testable import KasiaPushIndexer

@Suite("Counts in words")
struct CountedTests {
    @Test("one is singular, all else is plural", arguments: [(0, "devices"), (1, "device"), (2, "devices")])
    func plural(number: Int, noun: String) {
        #expect(Counted.devices(number).description == "\(number) \(noun)")
        let verb = number == 1 ? "delivery waits" : "deliveries wait"
        #expect(Counted(number, "delivery waits", "deliveries wait").description == "\(number) \(verb)")
        #expect(ByteCount(UInt64(number)).description == "\(number) \(number == 1 ? "byte" : "bytes")")
    }
}
