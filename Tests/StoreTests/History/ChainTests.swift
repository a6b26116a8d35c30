import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Store

@Suite("Applying the virtual chain")
struct ChainTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }

    init() throws { fixture = try StoreFixture() }

    private func accepted(_ block: Int) throws -> Set<TransactionID> {
        let prefix = Sample.block(block).bytes
        let rows = try store.database.list(
            .accepted, from: prefix, below: KeyBytes.successor(ofPrefix: prefix), limit: .max
        ) { Hash(bytes: $0.key.dropFirst(32)) }
        return Set(rows)
    }

    private func markers() throws -> Int { try StoreDump(store)[.enqueued].count }

    /// Applies a step twice; the second time must change nothing.
    private func applyTwice(_ step: ChainStep, withdraws: Bool = false) async throws -> ChainStepResult {
        let result = try await store.history.apply(step, now: 5_000, withdrawsUnsent: withdraws)
        let dump = try StoreDump(store)
        #expect(try await store.history.apply(step, now: 6_000, withdrawsUnsent: withdraws) == ChainStepResult())
        #expect(try StoreDump(store) == dump)
        return result
    }

    @Test("Acceptance, event and cursor come together, and a second time changes nothing")
    func accept() async throws {
        let operations = [
            Sample.operation(1, acceptedIn: 1),
            Sample.operation(2, kind: .payment, receiver: Sample.address(3), acceptedIn: 1),
        ]
        let result = try await applyTwice(Sample.step(accepting: operations, cursor: 1))
        var expected = ChainStepResult()
        expected.accepted = 2
        expected.enqueued = [.contextualMessage: 1, .payment: 1]
        #expect(result == expected)
        #expect(try await store.history.cursor() == Sample.cursor(1))
        #expect(try await store.history.operation(Sample.transaction(2)) == operations[1])
        #expect(try accepted(1) == [Sample.transaction(1), Sample.transaction(2)])
        let events = try await store.outbox.events(after: 0, limit: 10)
        #expect(
            events
                == operations.enumerated().map { index, operation in
                    PushEvent(
                        number: UInt64(index + 1), transactionID: operation.transactionID,
                        kind: PushKind(operation.kind), sender: operation.sender, receiver: operation.receiver,
                        amount: operation.amount, blockTime: operation.blockTime,
                        acceptance: Sample.acceptance(1), queuedAt: 5_000, subject: PushSubject(operation))
                })
        #expect(try await store.totals().events == 2)
    }

    @Test("A pending operation becomes accepted; a known one stays as it is when it is seen in a block again")
    func pending() async throws {
        #expect(
            try await store.history.recordPending([Sample.operation(1), Sample.operation(1), Sample.operation(2)]) == 2)
        #expect(try await store.history.recordPending([Sample.operation(1)]) == 0)
        _ = try await applyTwice(Sample.step(accepting: [Sample.operation(1, acceptedIn: 4)], cursor: 4))
        #expect(try await store.history.recordPending([Sample.operation(1)]) == 0)
        #expect(try await store.history.operation(Sample.transaction(1))?.acceptance == Sample.acceptance(4))
        #expect(try await store.history.operation(Sample.transaction(2))?.acceptance == nil)
        #expect(try await store.totals().events == 1)
    }

    @Test("A sender that only the block told is kept when the acceptance lacks it, and is in the event")
    func keptSender() async throws {
        _ = try await store.history.recordPending([Sample.operation(1, sender: Sample.address(4))])
        _ = try await applyTwice(Sample.step(accepting: [Sample.operation(1, sender: nil, acceptedIn: 1)], cursor: 1))
        #expect(try await store.history.operation(Sample.transaction(1))?.sender == Sample.address(4))
        #expect(try await store.outbox.events(after: 0, limit: 1).first?.sender == Sample.address(4))
    }

    @Test("An operation without an acceptance, or that notifies nobody, makes no event")
    func silent() async throws {
        let step = Sample.step(
            accepting: [Sample.operation(1), Sample.operation(2, acceptedIn: 1)], notifies: false, cursor: 1)
        #expect(try await applyTwice(step).accepted == 1)
        #expect(try await store.history.operation(Sample.transaction(1)) == nil)
        #expect(try await store.totals().events == 0)
        #expect(try markers() == 0)
    }

    @Test("A reorganisation moves what it accepts elsewhere and reverts the rest, in one step")
    func reorganisation() async throws {
        for number in 1...3 { try await fixture.accept(number) }
        let result = try await applyTwice(
            Sample.step(removed: [3, 2], accepting: [Sample.operation(2, acceptedIn: 12)], cursor: 12))
        // Transaction 2 was taken back and accepted again.
        #expect(result.reverted == 2)
        #expect(result.accepted == 1)
        #expect(result.enqueued.isEmpty)
        #expect(try await store.history.operation(Sample.transaction(2))?.acceptance == Sample.acceptance(12))
        #expect(try await store.history.operation(Sample.transaction(3))?.acceptance == nil)
        #expect(try await store.history.operation(Sample.transaction(3))?.payload == Sample.operation(3).payload)
        #expect(try accepted(1) == [Sample.transaction(1)])
        #expect(try accepted(2) == [] && accepted(3) == [])
        #expect(try accepted(12) == [Sample.transaction(2)])
        #expect(try await store.history.cursor() == Sample.cursor(12))
    }

    @Test("Removing a block whose transaction a later block has accepted leaves that acceptance alone")
    func movedWithoutRemoval() async throws {
        try await fixture.accept(1)
        _ = try await applyTwice(Sample.step(accepting: [Sample.operation(1, acceptedIn: 9)], cursor: 9))
        #expect(try accepted(1) == [])
        let result = try await applyTwice(Sample.step(removed: [1], cursor: 10))
        #expect(result.reverted == 0)
        #expect(try await store.history.operation(Sample.transaction(1))?.acceptance == Sample.acceptance(9))
    }

    @Test("A transaction named twice in one step is accepted once, by the later block, and is one event")
    func doubleInclusion() async throws {
        let result = try await applyTwice(
            Sample.step(
                accepting: [Sample.operation(1, acceptedIn: 1), Sample.operation(1, acceptedIn: 1)], cursor: 1))
        #expect(result.accepted == 1)
        #expect(result.enqueued == [.contextualMessage: 1])
        let twoBlocks = try await store.history.apply(
            Sample.step(
                accepting: [Sample.operation(2, acceptedIn: 2), Sample.operation(2, acceptedIn: 3)], cursor: 3),
            now: 5_000, withdrawsUnsent: false)
        #expect(twoBlocks.accepted == 1)
        #expect(try accepted(2) == [] && accepted(3) == [Sample.transaction(2)])
        #expect(try await store.totals().events == 2)
    }

    @Test("The marker survives a reorganisation: a transaction is an event once, even after its event is done")
    func onceEver() async throws {
        try await fixture.accept(1)
        try await fixture.fanOut(event: 1)
        #expect(try await store.totals().events == 0)
        _ = try await applyTwice(Sample.step(removed: [1], cursor: 0))
        let again = try await applyTwice(Sample.step(accepting: [Sample.operation(1, acceptedIn: 5)], cursor: 5))
        #expect(again.accepted == 1 && again.enqueued.isEmpty)
        #expect(try await store.totals().events == 0)
    }

    @Test("With confirmations, a removed block takes its waiting event along, and a new acceptance is a new event")
    func withdraw() async throws {
        try await fixture.accept(1)
        let removed = try await applyTwice(Sample.step(removed: [1], cursor: 0), withdraws: true)
        #expect(removed.withdrawn == 1 && removed.reverted == 1)
        #expect(try await store.totals().events == 0)
        let dump = try StoreDump(store)
        #expect(dump[.events].isEmpty && dump[.enqueued].isEmpty && dump[.enqueuedByTime].isEmpty)
        let again = try await applyTwice(
            Sample.step(accepting: [Sample.operation(1, acceptedIn: 5)], cursor: 5), withdraws: true)
        #expect(again.enqueued == [.contextualMessage: 1])
        #expect(try await store.outbox.events(after: 0, limit: 5).map(\.number) == [2])
        #expect(try await store.outbox.events(after: 0, limit: 5).map(\.acceptance) == [Sample.acceptance(5)])
    }

    @Test("Without confirmations, or once its fan-out has begun, an event is not withdrawn", arguments: [false, true])
    func notWithdrawn(_ fannedOut: Bool) async throws {
        for number in 1...2 { try await fixture.register(Sample.device(number, watching: [Sample.address(1)])) }
        try await fixture.accept(1)
        if fannedOut { try await fixture.fanOut(event: 1, limit: 1) }
        let result = try await applyTwice(Sample.step(removed: [1], cursor: 0), withdraws: fannedOut)
        #expect(result.withdrawn == 0 && result.reverted == 1)
        #expect(try await store.totals().events == 1)
        #expect(try markers() == 1)
        #expect(
            try await applyTwice(
                Sample.step(accepting: [Sample.operation(1, acceptedIn: 5)], cursor: 5), withdraws: fannedOut
            ).enqueued.isEmpty)
    }

    @Test("A group belongs to the first key; another's messages are counted and neither stored nor queued")
    func groups() async throws {
        func message(_ number: Int, key: UInt8, group: UInt8 = 1) -> AcceptedOperation {
            AcceptedOperation(
                operation: Sample.operation(number, kind: .groupMessage, acceptedIn: number), notifies: true,
                group: .init(
                    blindedGroupID: [UInt8](repeating: group, count: 32),
                    senderPublicKey: [UInt8](repeating: key, count: 32)))
        }
        let first = ChainStep(
            removed: [], accepted: [message(1, key: 1), message(2, key: 2), message(3, key: 1)],
            cursor: Sample.cursor(3))
        let result = try await store.history.apply(first, now: 1, withdrawsUnsent: false)
        #expect(result.accepted == 2 && result.foreignGroupMessages == 1)
        #expect(result.enqueued == [.groupMessage: 2])
        let dump = try StoreDump(store)
        let again = try await store.history.apply(first, now: 1, withdrawsUnsent: false)
        #expect(again.accepted == 0 && again.enqueued.isEmpty && again.foreignGroupMessages == 1)
        #expect(try StoreDump(store) == dump)
        #expect(try await store.history.operation(Sample.transaction(2)) == nil)
        // Another group is free for the second key.
        let other = ChainStep(
            removed: [], accepted: [message(4, key: 2, group: 2)], cursor: Sample.cursor(4))
        #expect(try await store.history.apply(other, now: 1, withdrawsUnsent: false).accepted == 1)
    }

    @Test(
        "A group message that was accepted before and is refused later leaves no place in a list",
        arguments: [true, false])
    func refusedLater(isAnswered: Bool) async throws {
        let group = [UInt8](repeating: 1, count: 32)
        let key = try #require(Sample.address(1).xOnlyPublicKey)
        func message(acceptedIn block: Int) -> AcceptedOperation {
            let operation = Sample.operation(1, kind: .groupMessage, sender: nil, acceptedIn: block)
                .with(payload: OperationKind.groupMessage.samplePayload(1, key: Hex.encode(key), group: group))
            return AcceptedOperation(
                operation: operation, notifies: false, group: .init(blindedGroupID: group, senderPublicKey: key))
        }
        let first = ChainStep(removed: [], accepted: [message(acceptedIn: 1)], cursor: Sample.cursor(1))
        #expect(try await store.history.apply(first, now: 1, withdrawsUnsent: false).accepted == 1)
        #expect(try StoreDump(store)[.operationLists].count == 1)
        var again = message(acceptedIn: 2)
        again.pendingSender = .init(needsSender: true, paid: [], deadline: 100, askingUntil: 100)
        let second = ChainStep(removed: [Sample.block(1)], accepted: [again], cursor: Sample.cursor(2))
        #expect(try await store.history.apply(second, now: 1, withdrawsUnsent: false).unresolved == 1)
        let question = try #require(try await store.history.unresolvedSender(of: Sample.transaction(1)))
        if isAnswered {
            let answer = try await store.history.resolveSender(
                question, sender: Sample.address(2), receiver: nil, amount: 0, now: 2)
            #expect(answer == .foreign(waited: false))
        } else {
            let ended = try await store.history.endSenderWaits(now: 100, askingUntil: 200, limit: 9) { _, _ in
                .givenUp
            }
            #expect(ended.givenUp == 1)
        }
        let dump = try StoreDump(store)
        #expect(dump[.operations].isEmpty && dump[.operationLists].isEmpty && dump[.accepted].isEmpty)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("Pruning forgets the oldest markers first, strictly before the time, at most the limit")
    func prune() async throws {
        for number in 1...5 { try await fixture.accept(number, now: UInt64(number * 100)) }
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 100, limit: 10, keepsUncorrected: false) == 0)
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 101, limit: 0, keepsUncorrected: false) == 0)
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 301, limit: 2, keepsUncorrected: false) == 2)
        #expect(Set(try StoreDump(store).keys(.enqueued)) == Set((3...5).map { Sample.transaction($0).bytes }))
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 301, limit: 2, keepsUncorrected: false) == 1)
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 301, limit: 2, keepsUncorrected: false) == 0)
        let dump = try StoreDump(store)
        #expect(dump[.enqueued].count == 2 && dump[.enqueuedByTime].count == 2)
        #expect(try await store.totals().events == 5)
    }

    @Test("Events are read in order after a number, at most the limit")
    func events() async throws {
        for number in 1...4 { try await fixture.accept(number) }
        func numbers(_ after: UInt64, _ limit: Int) async throws -> [UInt64] {
            try await store.outbox.events(after: after, limit: limit).map(\.number)
        }
        #expect(try await numbers(0, 3) == [1, 2, 3])
        #expect(try await numbers(3, 3) == [4])
        #expect(try await numbers(4, 3) == [])
        #expect(try await numbers(0, 0) == [])
        #expect(try await numbers(.max, 3) == [])
        #expect(try await numbers(.max - 1, 3) == [])
    }

    @Test("Resetting the cursor moves nothing else")
    func resetCursor() async throws {
        try await fixture.accept(1)
        var before = try StoreDump(store)
        try await store.history.resetCursor(to: Sample.cursor(77))
        before.rows[.meta]?[MetaKey.cursor] = Sample.cursor(77).encoded
        #expect(try StoreDump(store) == before)
    }
}
