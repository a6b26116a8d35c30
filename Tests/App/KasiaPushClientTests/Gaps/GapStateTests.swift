import Foundation
import Testing

@testable import KasiaPushClient

/// Which pushes are missing, by their numbers alone.
@Suite struct GapStateTests {
    private var state = GapState()
    private static let numbering = PushNumbering(tokenHash: "a", registration: 1)

    /// Everything up to 10 is there.
    init() {
        state.use(GapStateTests.numbering)
        if let order = state.lists { state.listsWereRead(order) }
        _ = state.take(GapStateTests.page(latest: 10, oldest: 1), before: [])
    }

    static func page(_ numbers: [UInt64] = [], latest: UInt64, oldest: UInt64?) -> MissedPushes {
        let items = numbers.map {
            MissedPush(sequence: $0, kind: .payment, transactionID: "\($0)", sender: "", timestamp: 0)
        }
        return MissedPushes(items: items, latestSequence: latest, oldestSequence: oldest)
    }

    private mutating func receive(_ numbers: UInt64...) { for number in numbers { state.receive(number) } }

    @Test func atFirstEverythingIsAskedFor() {
        let state = GapState()
        #expect(state.mustAsk)
        #expect(state.last == 0)
    }

    @Test mutating func theNextNumberIsNoGap() {
        receive(11, 12, 12, 3, 10)
        #expect(!state.mustAsk)
        #expect(state.last == 12)
    }

    @Test mutating func aNumberBeyondTheNextIsAGap() {
        receive(12)
        #expect(state.mustAsk)
        #expect(state.last == 10)
        receive(11)
        #expect(state.last == 12)
    }

    @Test mutating func aStartAsksEvenWithoutAGap() {
        #expect(!state.mustAsk)
        state.start()
        #expect(state.mustAsk)
        #expect(state.last == 10)
    }

    @Test mutating func pagesCloseTheGap() {
        receive(14)
        let isComplete = state.take(GapStateTests.page([11, 12], latest: 14, oldest: 1), before: state.ahead)
        #expect(!isComplete)
        #expect(state.mustAsk)
        let isCompleteNow = state.take(GapStateTests.page([13, 14], latest: 14, oldest: 1), before: state.ahead)
        #expect(isCompleteNow)
        #expect(!state.mustAsk)
        #expect(state.last == 14)
        #expect(state.lists == nil)
    }

    @Test mutating func aPushThatCameWhileAPageWasAskedForIsAskedForAgainIfThereIsAGap() {
        let before = state.ahead
        receive(15)
        let isComplete = state.take(GapStateTests.page([11, 12, 13], latest: 13, oldest: 1), before: before)
        #expect(isComplete)
        #expect(state.last == 13)
        #expect(state.mustAsk)
    }

    @Test mutating func numbersThatTheServiceHasNotGivenOutAreForgotten() {
        receive(1_000_000, .max)
        let isComplete = state.take(GapStateTests.page([11], latest: 11, oldest: 1), before: state.ahead)
        #expect(isComplete)
        #expect(!state.mustAsk)
        receive(12)
        #expect(state.last == 12)
    }

    @Test(arguments: [(10, false), (11, false), (12, true)] as [(UInt64, Bool)])
    mutating func whatIsNotKeptIsInTheLists(_ oldest: UInt64, _ mustRead: Bool) {
        _ = state.take(GapStateTests.page([12, 13], latest: 13, oldest: oldest), before: [])
        #expect((state.lists != nil) == mustRead)
        #expect(state.last == 13)
    }

    @Test mutating func ifNothingIsKeptEverythingIsInTheLists() {
        _ = state.take(GapStateTests.page(latest: 13, oldest: nil), before: [])
        #expect(state.lists != nil)
        #expect(state.last == 13)
    }

    @Test mutating func nothingNewNeedsNoLists() {
        let isComplete = state.take(GapStateTests.page(latest: 10, oldest: nil), before: [])
        #expect(isComplete)
        #expect(state.lists == nil)
    }

    @Test mutating func anOrderStandsUntilItIsCarriedOut() throws {
        _ = state.take(GapStateTests.page(latest: 13, oldest: nil), before: [])
        let first = try #require(state.lists)
        _ = state.take(GapStateTests.page(latest: 20, oldest: nil), before: [])
        state.listsWereRead(first)
        let second = try #require(state.lists)
        state = try JSONDecoder().decode(GapState.self, from: JSONEncoder().encode(state))
        state.listsWereRead(second)
        #expect(state.lists == nil)
    }

    // MARK: New registrations

    @Test mutating func fewerNumbersThanAreKnownAreThoseOfANewRegistration() {
        let isComplete = state.take(GapStateTests.page(latest: 9, oldest: 1), before: [])
        #expect(!isComplete)
        #expect(state.mustAsk)
        #expect(state.last == 0)
        #expect(state.lists != nil)
    }

    @Test mutating func anotherNumberingBeginsAnew() {
        receive(13)
        state.use(GapStateTests.numbering)
        #expect(state.last == 10)
        state.use(PushNumbering(tokenHash: "a", registration: 2))
        #expect(state.last == 0)
        #expect(state.ahead == [])
        #expect(state.mustAsk)
        #expect(state.lists != nil)
    }

    @Test mutating func aRegistrationThatIsGoneIsNotAskedAbout() {
        state.registrationIsGone()
        #expect(!state.mustAsk)
        #expect(state.lists != nil)
        state.use(GapStateTests.numbering)
        #expect(state.mustAsk)
    }

    // MARK: Limits

    @Test(arguments: [GapState.maximumAhead - 1, GapState.maximumAhead, GapState.maximumAhead + 1])
    mutating func numbersBeyondAGapAreKeptUpToALimit(_ count: Int) {
        for number in 1...count { receive(11 + UInt64(number)) }
        #expect(state.ahead.count == min(count, GapState.maximumAhead))
        receive(11)
        #expect(state.last == 11 + UInt64(min(count, GapState.maximumAhead)))
    }

    @Test mutating func theLastNumberOfAllOverflowsNothing() {
        _ = state.take(GapStateTests.page(latest: .max, oldest: .max), before: [])
        #expect(state.last == .max)
        receive(.max, 1)
        _ = state.take(GapStateTests.page(latest: .max, oldest: .max), before: [])
        #expect(!state.mustAsk)
    }
}
