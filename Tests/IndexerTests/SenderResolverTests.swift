import Clocks
import Kaspa
import KaspaNode
import Testing

@testable import Indexer
@testable import Store

@Suite("Senders that the answer lacks")
struct SenderResolverTests {
    static let id = hash(1, tag: 0x77)
    static let patience: UInt64 = 60_000

    /// Lets the node be asked so often, in vain, for all whose sender is unknown since the beginning.
    private func ask(_ indexer: TestIndexer, times: Int) async {
        for pause in [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 63_500].prefix(times) {
            indexer.clock.now = epoch + UInt64(pause)
            await indexer.processor.resolver.turn()
        }
    }

    private func expectSound(_ indexer: TestIndexer) throws {
        let check = try indexer.store.checkBooks()
        #expect(check.isSound, "\(check.problems)")
    }

    @Test("the chain does not wait: the step is applied, and the event waits for the answer")
    func applied() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(1, [message(1, from: nil), message(2), transaction(3, "ciph_msg:1:?", from: nil)]),
            chainBlock(2, [message(4)]),
        ])
        indexer.node.change { $0.senders = [Self.id: .success(Person.carol.address)] }
        await indexer.processor.catchUp()
        #expect(indexer.node.now.askedSenders.isEmpty)
        #expect(try await indexer.store.history.cursor()?.blockHash == hash(2))
        let first = try await indexer.operation(1)
        #expect(first?.acceptance?.blockHash == hash(1) && first?.sender == nil)
        #expect(try await indexer.events() == [2, 4])
        #expect(try await indexer.store.outbox.books().eventsUnresolved == 1)
        try expectSound(indexer)
        indexer.clock.now = epoch + 700
        await indexer.processor.resolver.turn()
        #expect(indexer.node.now.askedSenders == [Self.id], "nothing else lacked one")
        #expect(try await indexer.operation(1)?.sender == Person.carol.address)
        let event = try #require(try await indexer.store.outbox.events(after: 2, limit: 9).first)
        #expect(event.sender == Person.carol.address && event.queuedAt == epoch + 700)
        #expect(event.acceptance.blockHash == hash(1))
        #expect(try await indexer.store.history.unresolvedSender(of: Self.id) == nil)
        try expectSound(indexer)
    }

    @Test("a payment to oneself and another is judged by the sender found")
    func receiver() async throws {
        let payment = transaction(1, "kchat:1:pay:x", from: nil, to: [(.alice, 5), (.bob, 6), (.alice, 1), (.bob, 1)])
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [payment])])
        indexer.node.change { $0.senders = [Self.id: .success(Person.alice.address)] }
        await indexer.processor.catchUp()
        await indexer.processor.resolver.turn()
        let paid = try await indexer.operation(1)
        #expect(paid?.receiver == Person.bob.address && paid?.amount == 7)
        #expect(try await indexer.store.outbox.events(after: 0, limit: 9).first?.receiver == Person.bob.address)
    }

    @Test(
        "an event waits a minute for an answer; then a payment goes without a sender, and a message to nobody",
        arguments: [-1, 0, 1])
    func deadline(excess: Int) async throws {
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(
                1,
                [
                    message(1, from: nil), transaction(2, "kchat:1:pay:x", from: nil, to: [(.bob, 6)]),
                    transaction(3, "ciph_msg:1:hs:body", from: nil, to: [(.bob, 1)]),
                    transaction(4, "ciph_msg:1:self_stash:scope:body", from: nil),
                    groupMessage(5, claimed: .alice, from: nil),
                ]),
        ])
        indexer.node.change { state in
            for number in 2...3 { state.senders[hash(number, tag: 0x77)] = .failure(NodeError(.timeout, "late")) }
        }
        await indexer.processor.catchUp()
        await ask(indexer, times: 7)
        indexer.clock.now = UInt64(Int(epoch + Self.patience) + excess)
        await indexer.processor.resolver.turn()
        let isOver = excess >= 0
        #expect(Set(try await indexer.events()) == (isOver ? [2, 3] : []))
        #expect(try await indexer.store.outbox.events(after: 0, limit: 9).allSatisfy { $0.sender == nil })
        let books = try await indexer.store.outbox.books()
        #expect(books.eventsSuppressed == (isOver ? 2 : 0) && books.eventsUnresolved == (isOver ? 0 : 4))
        #expect(books.eventsCreated == 4 && books.balance)
        try expectSound(indexer)
        // The answer still comes for whoever reads, and is no push.
        indexer.clock.now += SenderResolver.backoff.ceiling
        indexer.node.change { state in
            for number in 1...5 { state.senders[hash(number, tag: 0x77)] = .success(Person.alice.address) }
        }
        await indexer.processor.resolver.turn()
        for number in 1...5 { #expect(try await indexer.operation(number)?.sender == Person.alice.address) }
        #expect(try await indexer.operation(5)?.acceptance?.blockHash == hash(1))
        #expect(try await indexer.events().count == (isOver ? 2 : 2))
        try expectSound(indexer)
    }

    private static let payment = transaction(1, "kchat:1:pay:x", from: nil, to: [(.bob, 6)])

    @Test(
        "four refusals in a row let a payment and a handshake go without a sender, and nothing else",
        arguments: [3, 4, 5])
    func refusals(times: Int) async throws {
        let control = "ciph_msg:1:gctl:\(Hex.encode(Person.bob.key)):beef"
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(
                1,
                [
                    Self.payment, transaction(2, "ciph_msg:1:hs:body", from: nil, to: [(.bob, 1)]),
                    message(3, from: nil), groupMessage(4, claimed: .alice, from: nil),
                    transaction(5, control, from: nil, to: [(.bob, 1)]),
                ]),
        ])
        await indexer.processor.catchUp()
        await ask(indexer, times: times)
        await indexer.processor.resolver.turn()
        #expect(Set(try await indexer.events()) == (times < 4 ? [] : [1, 2]))
        #expect(
            try await indexer.store.outbox.events(after: 0, limit: 9).allSatisfy {
                $0.sender == nil && $0.receiver != nil
            })
        let books = try await indexer.store.outbox.books()
        #expect(books.eventsUnresolved == (times < 4 ? 5 : 3) && books.eventsSuppressed == 0 && books.balance)
        try expectSound(indexer)
        // The answer still comes for whoever reads, and is no second push.
        indexer.node.change { $0.senders = [Self.id: .success(Person.alice.address)] }
        indexer.clock.now = try #require(try await indexer.store.history.unresolvedSender(of: Self.id)).due
        await indexer.processor.resolver.turn()
        #expect(try await indexer.operation(1)?.sender == Person.alice.address)
        #expect(try await indexer.events().count { $0 == 1 } == 1)
        try expectSound(indexer)
    }

    @Test("a payment that a node refuses to name is told within ten seconds of its acceptance", arguments: [0, 1, 499])
    func withinTenSeconds(offset: UInt64) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [Self.payment])])
        await indexer.processor.catchUp()
        var time = offset
        while try await indexer.events().isEmpty, time <= 10_000 {
            indexer.clock.now = epoch + time
            await indexer.processor.resolver.turn()
            time += 500
        }
        #expect(try await indexer.events() == [1])
        #expect(indexer.node.now.askedSenders.count == 4)
    }

    @Test(
        "what is no refusal begins the count anew",
        arguments: [NodeError.Code.timeout, .notConnected, .cancelled, .transport, .syncing, .busy])
    func interrupted(code: NodeError.Code) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [Self.payment])])
        await indexer.processor.catchUp()
        for turn in 0..<6 {
            indexer.node.change { $0.senders = turn == 1 ? [Self.id: .failure(NodeError(code, "gone"))] : [:] }
            indexer.clock.now = try #require(try await indexer.store.history.unresolvedSender(of: Self.id)).due
            await indexer.processor.resolver.turn()
            #expect(indexer.node.now.askedSenders.count == turn + 1)
            // Ends what is overdue by now.
            await indexer.processor.resolver.turn()
            #expect(try await indexer.events() == (turn < 5 ? [] : [1]), "after \(turn + 1) questions")
        }
        #expect(indexer.clock.now < epoch + Self.patience)
    }

    @Test("a restart keeps the count of refusals")
    func refusedBeforeRestart() async throws {
        let directory = TestDirectory()
        let chain = [chainBlock(0), chainBlock(1, [Self.payment])]
        do {
            let indexer = try await TestIndexer(chain, directory: directory)
            await indexer.processor.catchUp()
            await ask(indexer, times: 3)
        }
        let indexer = try await TestIndexer(chain, directory: directory)
        indexer.clock.now = epoch + 3_500
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events().isEmpty)
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [1])
        #expect(indexer.node.now.askedSenders.count == 1)
        try expectSound(indexer)
    }

    @Test("a sender that no event waits for is given up after an hour", arguments: [-1, 0, 1])
    func givenUp(excess: Int) async throws {
        let indexer = try await TestIndexer(
            [chainBlock(0), chainBlock(1, [message(1, from: nil), groupMessage(2, claimed: .alice, from: nil)])],
            enqueuesEvents: false)
        await indexer.processor.catchUp()
        await ask(indexer, times: 7)
        indexer.clock.now = UInt64(Int(epoch + 3_600_000) + excess)
        await indexer.processor.resolver.turn()
        #expect((try await indexer.store.history.unresolvedSender(of: Self.id) == nil) == (excess >= 0))
        #expect(try await indexer.operation(1)?.acceptance != nil)
        #expect((try await indexer.operation(2) == nil) == (excess >= 0), "a message that nobody vouched for goes")
        #expect(try await indexer.events().isEmpty)
        try expectSound(indexer)
    }

    @Test(
        "what the node cannot say is asked again, with pauses that double",
        arguments: [NodeError.Code.rejected, .malformedAnswer, .startHashUnknown, .timeout])
    func retries(code: NodeError.Code) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil)])])
        indexer.node.change { $0.senders = [Self.id: .failure(NodeError(code, "no"))] }
        await indexer.processor.catchUp()
        var due = epoch
        for attempt in 0..<7 {
            indexer.clock.now = due - (attempt == 0 ? 0 : 1)
            await indexer.processor.resolver.turn()
            if attempt > 0 {
                #expect(indexer.node.now.askedSenders.count == attempt, "a millisecond too early")
                indexer.clock.now = due
                await indexer.processor.resolver.turn()
            }
            #expect(indexer.node.now.askedSenders.count == attempt + 1)
            due += 500 << UInt64(attempt)
        }
    }

    @Test("pauses grow to five minutes and no further")
    func pauses() {
        #expect((0...3).map { SenderResolver.pause(after: $0) } == [500, 1000, 2000, 4000])
        #expect(
            [9, 10, 15, 16, .max].map { SenderResolver.pause(after: $0) } == [
                256_000, 300_000, 300_000, 300_000, 300_000,
            ])
    }

    @Test(
        "a lost node is no answer: the question is put again soon, and does not count",
        arguments: [NodeError.Code.notConnected, .cancelled, .transport, .syncing, .busy])
    func lostNode(code: NodeError.Code) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil), message(2)])])
        indexer.node.change { $0.senders = [Self.id: .failure(NodeError(code, "gone"))] }
        await indexer.processor.catchUp()
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [2])
        #expect(try await indexer.store.history.unresolvedSender(of: Self.id)?.attempts == 0)
        indexer.node.change {
            $0.senders = [Self.id: .success(Person.bob.address)]
            $0.isConnected = false
        }
        indexer.clock.now += SenderResolver.nodePause
        await indexer.processor.resolver.turn()
        #expect(indexer.node.now.askedSenders.count == 1, "there is no node to ask")
        indexer.node.change { $0.isConnected = true }
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [2, 1])
        #expect(indexer.status.nodeTrouble == nil)
    }

    @Test("a deadline comes also without a node")
    func deadlineWithoutNode() async throws {
        let payment = transaction(1, "kchat:1:pay:x", from: nil, to: [(.bob, 6)])
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [payment])])
        await indexer.processor.catchUp()
        indexer.node.change { $0.isConnected = false }
        indexer.clock.now = epoch + Self.patience
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [1])
    }

    @Test("a message waits for its sender as long as there is no node to ask, and is told then")
    func messageWithoutNode() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0), chainBlock(1, [message(1, from: nil), groupMessage(2, claimed: .alice, from: nil)]),
        ])
        await indexer.processor.catchUp()
        indexer.node.change { $0.isConnected = false }
        for _ in 1...9 {
            indexer.clock.now += Self.patience
            await indexer.processor.resolver.turn()
            #expect(try await indexer.store.outbox.books().eventsUnresolved == 2)
        }
        try expectSound(indexer)
        indexer.node.change { state in
            for number in 1...2 { state.senders[hash(number, tag: 0x77)] = .success(Person.alice.address) }
            state.isConnected = true
        }
        await indexer.processor.resolver.turn()
        #expect(Set(try await indexer.events()) == [1, 2])
        try expectSound(indexer)
    }

    @Test("a node that goes away is held against no message that it was hardly asked about", arguments: [6, 7, 8])
    func hardlyAsked(times: Int) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil)])])
        await indexer.processor.catchUp()
        await ask(indexer, times: times)
        #expect(try await indexer.store.history.unresolvedSender(of: Self.id)?.attempts == UInt32(times))
        indexer.node.change { $0.isConnected = false }
        indexer.clock.now = max(indexer.clock.now, epoch + Self.patience)
        await indexer.processor.resolver.turn()
        let books = try await indexer.store.outbox.books()
        #expect(books.eventsSuppressed == (times < 7 ? 0 : 1) && books.eventsUnresolved == (times < 7 ? 1 : 0))
        try expectSound(indexer)
    }

    @Test("a message that is no news any more waits for no node", arguments: [-1, 0, 1])
    func noNews(excess: Int) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil)])])
        await indexer.processor.catchUp()
        indexer.node.change { $0.isConnected = false }
        let sentAt = try await #require(try indexer.operation(1)?.blockTime)
        indexer.clock.now = UInt64(Int(sentAt + TestIndexer.maximumAge) + excess)
        await indexer.processor.resolver.turn()
        #expect(try await indexer.store.outbox.books().eventsUnresolved == (excess > 0 ? 0 : 1))
        // It is asked for all the same, for whoever reads.
        #expect(try await indexer.store.history.unresolvedSender(of: Self.id) != nil)
        try expectSound(indexer)
    }

    @Test("who is asked for in vain for an hour is not given up before there was a node", arguments: [6, 7])
    func notGivenUp(times: Int) async throws {
        let indexer = try await TestIndexer(
            [chainBlock(0), chainBlock(1, [groupMessage(1, claimed: .alice, from: nil)])], enqueuesEvents: false)
        await indexer.processor.catchUp()
        await ask(indexer, times: times)
        indexer.node.change { $0.isConnected = false }
        indexer.clock.now = epoch + 3_600_000
        await indexer.processor.resolver.turn()
        #expect((try await indexer.operation(1) != nil) == (times < 7))
        #expect((try await indexer.store.history.unresolvedSender(of: Self.id) != nil) == (times < 7))
        try expectSound(indexer)
    }

    @Test("what is reorganised out meanwhile is dropped; accepted again, it is asked for and told once")
    func reorganized() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<2) + [chainBlock(2, [message(1, from: nil)])])
        await indexer.processor.catchUp()
        indexer.node.reorganize(removing: 1, adding: [chainBlock(2, branch: 1)])
        await indexer.processor.catchUp()
        indexer.node.change { $0.senders = [Self.id: .success(Person.alice.address)] }
        indexer.clock.now += Self.patience
        await indexer.processor.resolver.turn()
        #expect(indexer.node.now.askedSenders.isEmpty)
        #expect(try await indexer.events().isEmpty)
        #expect(try await indexer.operation(1)?.acceptance == nil)
        #expect(try await indexer.store.outbox.books().eventsWithdrawn == 1)
        try expectSound(indexer)
        indexer.node.change { $0.chain.append(chainBlock(3, branch: 1, [message(1, from: nil)])) }
        await indexer.processor.catchUp()
        await indexer.processor.resolver.turn()
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [1])
        #expect(try await indexer.operation(1)?.acceptance?.blockHash == hash(3, tag: 1))
        try expectSound(indexer)
    }

    @Test(
        "one batch that moves it to another block asks for it there, with the sender known or not",
        arguments: [true, false])
    func moved(isKnown: Bool) async throws {
        let indexer = try await TestIndexer(emptyChain(0..<2) + [chainBlock(2, [message(1, from: nil)])])
        await indexer.processor.catchUp()
        indexer.node.change { $0.senders = [Self.id: .success(Person.alice.address)] }
        indexer.node.reorganize(
            removing: 1,
            adding: [chainBlock(2, branch: 1), chainBlock(3, branch: 1, [message(1, from: isKnown ? .alice : nil)])])
        await indexer.processor.catchUp()
        #expect(try await indexer.events() == (isKnown ? [1] : []))
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [1])
        #expect(
            try await indexer.store.outbox.events(after: 0, limit: 9).first?.acceptance.blockHash == hash(3, tag: 1))
        #expect(try await indexer.operation(1)?.sender == Person.alice.address)
        try expectSound(indexer)
    }

    @Test("a restart goes on asking, and keeps the deadline")
    func restart() async throws {
        let directory = TestDirectory()
        let chain = [
            chainBlock(0),
            chainBlock(1, [message(1, from: nil), transaction(2, "kchat:1:pay:x", from: nil, to: [(.bob, 6)])]),
        ]
        do {
            let indexer = try await TestIndexer(chain, directory: directory)
            await indexer.processor.catchUp()
            await indexer.processor.resolver.turn()
        }
        let indexer = try await TestIndexer(chain, directory: directory)
        indexer.node.change { $0.senders = [Self.id: .success(Person.alice.address)] }
        indexer.clock.now = epoch + Self.patience - 1
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [1])
        indexer.clock.now = epoch + Self.patience
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [1, 2])
        try expectSound(indexer)
    }

    @Test("the same answer twice does not ask twice")
    func sameAnswerTwice() async throws {
        let indexer = try await TestIndexer(emptyChain(0..<1))
        let update = VirtualChainUpdate(
            removed: [], added: [chainBlock(1, [message(1, from: nil), groupMessage(2, claimed: .alice, from: nil)])])
        var before: [String] = []
        for _ in 0..<2 {
            indexer.node.change { $0.scripted = [.success(update)] }
            _ = try await indexer.processor.advance()
            let books = try await indexer.store.outbox.books()
            #expect(books.eventsCreated == 2 && books.eventsUnresolved == 2)
            let snapshot = try await indexer.snapshot(0..<4)
            if !before.isEmpty { #expect(snapshot == before) }
            before = snapshot
        }
        try expectSound(indexer)
    }

    @Test("a sender learned before is kept when a later answer lacks it, with what followed from it")
    func kept() async throws {
        let paid = transaction(1, "kchat:1:pay:x", from: .alice, to: [(.alice, 5), (.bob, 6)])
        var unnamed = paid
        unnamed.inputs[0].spent = nil
        let indexer = try await TestIndexer(emptyChain(0..<2) + [chainBlock(2, [paid])])
        await indexer.processor.catchUp()
        indexer.node.reorganize(removing: 1, adding: [chainBlock(2, branch: 1, [unnamed])])
        await indexer.processor.catchUp()
        #expect(try await indexer.operation(1)?.sender == Person.alice.address)
        let found = try await indexer.operation(1)
        #expect(found?.receiver == Person.bob.address && found?.amount == 6)
        #expect(try await indexer.events() == [1])
        #expect(try await indexer.store.history.unresolvedSender(of: Self.id) == nil)
    }

    @Test("many are asked for, each once a turn", arguments: [15, 16, 17, 100])
    func many(count: Int) async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, (0..<count).map { message($0, from: nil) })])
        indexer.node.change { state in
            for number in 0..<count where number % 2 == 0 {
                state.senders[hash(number, tag: 0x77)] = .success(Person.bob.address)
            }
        }
        await indexer.processor.catchUp()
        await indexer.processor.resolver.turn()
        for number in 0..<count {
            #expect(try await indexer.operation(number)?.sender == (number % 2 == 0 ? Person.bob.address : nil))
        }
        #expect(Set(indexer.node.now.askedSenders).count == count && indexer.node.now.askedSenders.count == count)
        try expectSound(indexer)
    }

    /// An indexer whose store refuses the answer to its only question.
    private func refusing() async throws -> TestIndexer {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil)])])
        indexer.node.change { $0.senders = [Self.id: .success(Person.carol.address)] }
        await indexer.processor.catchUp()
        let damaged = Self.id.bytes
        try await indexer.store.write { (transaction) throws(StoreError) in
            transaction.put(.operations, damaged, [0xFF])
        }
        return indexer
    }

    @Test("a question whose answer the store refuses counts as one in vain, and is given up like one")
    func refused() async throws {
        let indexer = try await refusing()
        await ask(indexer, times: 7)
        #expect(indexer.node.now.askedSenders.count == 7)
        #expect(try await indexer.store.history.unresolvedSender(of: Self.id)?.attempts == 7)
        indexer.clock.now = epoch + Self.patience
        await indexer.processor.resolver.turn()
        #expect(try await indexer.store.outbox.books().eventsSuppressed == 1)
        indexer.clock.now += 3_600_000
        await indexer.processor.resolver.turn()
        #expect(try await indexer.store.history.unresolvedSender(of: Self.id) == nil)
    }

    @Test("a damaged row keeps no other event waiting behind its deadline")
    func damagedDeadline() async throws {
        let indexer = try await TestIndexer([
            chainBlock(0),
            chainBlock(
                1,
                [
                    message(1, from: nil), transaction(2, "kchat:1:pay:x", from: nil, to: [(.bob, 6)]),
                    transaction(3, "kchat:1:pay:y", from: nil, to: [(.bob, 6)]),
                ]),
        ])
        await indexer.processor.catchUp()
        try await indexer.store.write { (transaction) throws(StoreError) in
            for number in 1...2 { transaction.put(.operations, hash(number, tag: 0x77).bytes, [0xFF]) }
        }
        indexer.clock.now = epoch + Self.patience
        await indexer.processor.resolver.turn()
        #expect(try await indexer.events() == [3])
        let books = try await indexer.store.outbox.books()
        #expect(books.eventsSuppressed == 2 && books.eventsUnresolved == 0 && books.balance)
    }

    @Test("questions that the store refuses keep no others from being put", arguments: [15, 16, 17, 40])
    func refusedBesideOthers(count: Int) async throws {
        let indexer = try await TestIndexer([
            chainBlock(0), chainBlock(1, (1...count + 1).map { message($0, from: nil) }),
        ])
        indexer.node.change { state in
            for number in 1...count + 1 {
                state.senders[hash(number, tag: 0x77)] = .success(Person.carol.address)
            }
        }
        await indexer.processor.catchUp()
        // All but the last by the order of their ids.
        let ids = (1...count + 1).map { hash($0, tag: 0x77).bytes }.sorted { $0.lexicographicallyPrecedes($1) }
        try await indexer.store.write { (transaction) throws(StoreError) in
            for id in ids.dropLast() { transaction.put(.operations, id, [0xFF]) }
        }
        await indexer.processor.resolver.turn()
        #expect(indexer.node.now.askedSenders.count == count + 1)
        #expect(try await indexer.events().count == 1)
    }

    @Test("a store that refuses does not make it ask without a pause", .timeLimit(.minutes(5)))
    func refusedWithPauses() async throws {
        let indexer = try await refusing()
        let running = Task { try await indexer.processor.resolver.run() }
        while indexer.node.now.askedSenders.isEmpty { await Task.yield() }
        let began = ContinuousClock.now
        // Each with a tick of its own; one may come late.
        while indexer.node.now.askedSenders.count < 4 {
            indexer.clock.now += SenderResolver.backoff.ceiling
            await Task.yield()
        }
        #expect(ContinuousClock.now - began >= SenderResolver.tick)
        running.cancel()
        try await running.value
    }

    @Test("it runs by itself: a waiting event is released without anybody's turn", .timeLimit(.minutes(10)))
    func runs() async throws {
        let indexer = try await TestIndexer([chainBlock(0), chainBlock(1, [message(1, from: nil)])])
        indexer.node.change { $0.senders = [Self.id: .success(Person.carol.address)] }
        let running = Task { try await indexer.processor.resolver.run() }
        await indexer.processor.catchUp()
        while try await indexer.events().isEmpty { await Task.yield() }
        running.cancel()
        try await running.value
        #expect(try await indexer.operation(1)?.sender == Person.carol.address)
    }
}
