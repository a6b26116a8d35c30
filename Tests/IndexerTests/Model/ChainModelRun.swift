import Clocks
import KasiaProtocol
import Kaspa
import Recordings
import StoreSupport
import Synchronization
import Testing

@testable import Indexer
@testable import KaspaNode
@testable import KaspadReplay
@testable import Store

/// One random life of the indexer over a generated network: each step is compared with the model.
final class ChainModelRun {
    /// The first difference ends a life.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private let seed: UInt64
    private let tells: Bool
    private var random: KaspadReplay.SeededRandom
    private let world: ModelWorld
    private let node: ModelNode
    private var model: ChainModel
    private var directory = TestDirectory()
    private let clock: TestIndexer.Clock
    private let moves = MoveLog()
    private let indexing: ChainIndexing
    private var store: Store?
    private var processor: VirtualChainProcessor?
    private var serviceClock: ServiceClock?
    private var blocks: BlockProcessor?
    private var clients: [ActivityClient] = []

    /// Where the store's cursor was after each applied step.
    private final class MoveLog: Sendable {
        private let cursors = Mutex<[BlockHash]>([])
        func add(_ cursor: BlockHash?) { if let cursor { cursors.withLock { $0.append(cursor) } } }
        func take() -> [BlockHash] {
            cursors.withLock { cursors in
                defer { cursors = [] }
                return cursors
            }
        }
    }

    init(seed: UInt64, tells: Bool) async throws {
        self.seed = seed
        self.tells = tells
        var random = KaspadReplay.SeededRandom(seed: seed ^ 0x6d6f_6465_6c)
        let world = ModelWorld(seed: seed)
        let share = [0, 0.1, 0.5][random.number(below: 3)]
        let ids = world.operations.keys.sorted()
        let unnamed = Set(ids.filter { _ in random.chance(share) })
        let unknown = Set(unnamed.sorted().filter { _ in random.chance(0.4) })
        var indexing = ChainIndexing(
            network: .mainnet, enqueuesEvents: true, maximumAge: UInt64(random.number(in: 20_000...120_000)),
            withdrawsUnsent: random.chance(0.5))
        indexing.nearTip = random.chance(0.5) ? 0 : UInt64(random.number(in: 0...20))
        indexing.batch.transactions = random.number(in: 1...60)
        indexing.batch.blocks = random.number(in: 1...20)
        model = ChainModel(
            world: world, unnamed: unnamed, unknown: unknown, withdrawsUnsent: indexing.withdrawsUnsent,
            maximumAge: indexing.maximumAge)
        node = try ModelNode(
            world.header, world.entries.map(\.message), senders: world.operations.mapValues(\.sender),
            unnamed: unnamed, unknown: unknown)
        clock = TestIndexer.Clock()
        clock.now = UInt64(world.entries.first?.block?.header.timestamp ?? 0)
        let start = clock.now
        node.change { $0.time = start }
        self.random = random
        self.world = world
        self.indexing = indexing
        try await open()
    }

    private func open() async throws {
        var limits = StoreLimits()
        limits.confirmations = 4
        try await TestStores.untilClosed(directory.path)
        let store = try TestStores.open(directory.path, limits: limits)
        let (clock, moves) = (clock, moves)
        self.store = store
        let serviceClock = ServiceClock(clock.machine, kept: try await store.clockReading())
        // The model's time is the right one: the first hearing would take a wall clock that is nearly right for that.
        if serviceClock.reading == nil { serviceClock.hear(chainTime: clock.now) }
        self.serviceClock = serviceClock
        let status = Mutex<IndexerStatus?>(nil)
        let processor = await VirtualChainProcessor(
            node: node, store: store, indexing: indexing, clock: serviceClock, logger: quietLogger
        ) { moves.add(status.withLock { $0 }?.snapshot.blockHash) }
        status.withLock { $0 = processor.status }
        self.processor = processor
        blocks = BlockProcessor(node: node, store: store, logger: quietLogger)
    }

    private func close() { (store, processor, blocks) = (nil, nil, nil) }

    /// Lives to the end of the recording and then until everything is told.
    func run() async throws {
        node.play(1)
        var step = 0
        while node.now.played < world.entries.count {
            try await turn(step)
            step += 1
        }
        tell("the network is complete")
        node.change {
            $0.answersLeft = nil; $0.isConnected = true; $0.growth = []
        }
        try await follow()
        guard model.cursor == node.now.chain.sink.hash else { throw difference("the sink is not reached") }
        pass(ChainModel.patience)
        try await resolve()
        try await dispatch(.max)
        try await compare()
        let check = try required(store).checkBooks()
        guard check.isSound else { throw difference("the store is not sound: \(check.problems)") }
    }

    private func turn(_ step: Int) async throws {
        pass(UInt64(random.number(in: 0...8000)))
        if random.chance(0.3) {
            // The wall clock is set by seconds, hours or years: nothing may come of it.
            let longest = [5_000, 90_000_000, 320_000_000_000][random.number(below: 3)]
            clock.setWall(ahead: Int64(random.number(in: 0...2 * longest) - longest))
        }
        let count = random.number(in: 1...12)
        switch random.number(below: 18) {
        case 0...3:
            tell("step \(step): \(count) entries told, then followed")
            try await hear(node.play(count))
            try await follow()
        case 4:
            tell("step \(step): \(count) entries told, no notification heard")
            node.play(count)
        case 5:
            tell("step \(step): blocks heard twice")
            let told = node.play(count)
            try await hear(told)
            try await hear(told)
            try await follow()
            try await follow()
        case 6:
            let answers = random.number(below: 4)
            tell("step \(step): the connection breaks after \(answers) answers")
            node.play(count)
            node.change { $0.answersLeft = answers }
            try await follow()
        case 7, 12...14:
            tell("step \(step): the chain moves while it is followed")
            node.play(count)
            // Small answers, so that the chain moves between those of one batch.
            let growth = (0..<6).map { _ in random.number(in: 0...5) }
            node.change {
                $0.growth = growth
                $0.batch = 2
            }
            try await follow(whileItMoves: true)
            node.change { $0.growth = [] }
        case 17:
            tell("step \(step): the node falls behind and catches up while it is followed")
            node.play(count)
            let lags = (0..<6).map { _ in random.number(in: 0...5) }
            node.change {
                $0.lags = lags
                $0.batch = 2
            }
            for _ in 0..<3 { try await follow(whileItMoves: true) }
            node.change { $0.lags = [] }
        case 8:
            tell("step \(step): restart")
            try await restart()
        case 9:
            tell("step \(step): senders at \(clock.now)")
            try await resolve()
        case 15...16:
            tell("step \(step): somebody registers")
            try await register(step)
        case 10:
            tell("step \(step): dispatch")
            try await dispatch(random.number(in: 1...5))
        default:
            try await prune(step)
        }
        if random.chance(0.5) {
            node.change {
                $0.isConnected = true; $0.answersLeft = nil
            }
        }
        let batch = random.number(in: 1...12)
        node.change { $0.batch = batch }
        try await compare()
    }

    private func pass(_ time: UInt64) {
        clock.now += time
        let now = clock.now
        node.change { $0.time = now }
    }

    // MARK: Steps

    private func hear(_ told: Range<Int>) async throws {
        for entry in world.entries[told] where random.chance(0.8) {
            guard case .block(let message) = entry.message.event else { continue }
            try await required(blocks).process(try Block(message))
            model.seen(entry.operations)
        }
    }

    private func follow(whileItMoves isMoving: Bool = false) async throws {
        node.change { $0.beginnings = [] }
        await processor?.catchUp()
        let status = try required(processor).status.snapshot
        if let trouble = status.storeTrouble { throw difference("store trouble: \(trouble)") }
        // A first start, and a gap, come before what is applied after them.
        for block in node.now.beginnings {
            tell("  begins at \(block)")
            model.begin(at: block)
        }
        for cursor in moves.take() {
            tell("  moves to \(cursor)")
            guard model.move(to: cursor, now: clock.now) else { throw difference("no way to the cursor") }
        }
        let state = node.now
        if !isMoving, state.isConnected, status.nodeTrouble == nil, model.cursor != state.chain.sink.hash {
            throw difference("it stopped before the sink")
        }
    }

    private func restart() async throws {
        if let reading = serviceClock?.reading { try await required(store).keep(reading) }
        if random.chance(0.5) {
            // A stop in order keeps the filter, one that is cut short does not.
            if random.chance(0.7) { try await required(store).registry.keepWatchedScripts() }
            close()
        } else {
            // What a crash leaves: the store as it is, not closed.
            let copy = TestDirectory()
            let left = try await TestStores.kill(required(store), at: directory.path, copy: copy.path)
            close()
            if left == copy.path { directory = copy }
        }
        try await open()
        // Without it everything passes the filter.
        if random.chance(0.5) { try await required(store).registry.fillWatchedScripts() }
    }

    /// One more device, which watches a wallet in one of the three ways.
    private func register(_ step: Int) async throws {
        let wallets = world.groups.keys.sorted { $0.storageKey.lexicographicallyPrecedes($1.storageKey) }
        let address = wallets[random.number(below: wallets.count)]
        let way = random.number(below: 3)
        // A filter that was kept before a registration must not be believed after it.
        if random.chance(0.3) { try await required(store).registry.keepWatchedScripts() }
        let device = DeviceRecord(
            token: [UInt8(step >> 8 & 0xff), UInt8(step & 0xff)] + [UInt8](repeating: 1, count: 30), platform: .ios,
            createdAt: clock.now, lastSeen: clock.now, primaryAddress: way == 0 ? address : nil,
            watchedAddresses: way == 1 ? [address] : [], watchOnlyAddresses: way == 2 ? [address] : [])
        try await required(store).registry.upsertDevice(device.id) { _ in device }
        model.watched.insert(address)
        if way == 2 { model.watchedForFunds.insert(address) }
    }

    private func resolve() async throws {
        await processor?.resolver.turn()
        _ = moves.take()
        model.resolve(isConnected: node.now.isConnected, now: clock.now)
    }

    private func dispatch(_ count: Int) async throws {
        let store = try required(store)
        for event in try await store.outbox.events(after: 0, limit: count) {
            _ = try await store.outbox.fanOut(
                event: event.number, lists: [], limit: 1, ordinaryWatchers: 0, now: clock.now, expiresAt: clock.now
            ) { _, _ in .skip }
            model.dispatched(event.transactionID)
        }
    }

    /// Prunes well below the sink, and not so that the store's cursor is unknown without being pruned.
    private func prune(_ step: Int) async throws {
        let chain = node.now.chain
        guard chain.chain.count > 14 else { return }
        let point = chain.chain[chain.chain.count - 12]
        if let cursor = model.cursor, let content = world.contents[cursor] {
            let isPruned = content.acceptance.blueScore < point.blueScore
            let isOnChain = chain.position[cursor] != nil
            guard isOnChain || isPruned, !isPruned || content.acceptance.daaScore < point.daaScore else { return }
        }
        tell("step \(step): pruned below \(point.hash)")
        node.change { _ = $0.chain.prune(below: point.hash) }
    }

    // MARK: Comparison

    private func compare() async throws {
        let store = try required(store)
        let dump = try await ModelDump(store)
        try same(dump.cursor, model.cursor, "cursor")
        try same(try await store.history.lastGap()?.count ?? 0, model.gaps, "gaps")
        try same(dump.accepted, model.accepted, "accepted")
        try same(dump.owners, model.owners, "group bindings")
        try same(dump.markers, model.markers, "markers")
        try same(dump.questions, model.questions, "questions")
        try same(try await store.outbox.books(), model.allBooks, "books")
        try same(Set(dump.operations.keys), Set(model.rows.keys), "operations")
        for (id, row) in model.rows { try compare(dump.operations[id], row, id) }
        try same(Set(dump.transfers.keys), Set(model.transfers.keys), "transfers")
        for (id, transfer) in model.transfers { try compare(dump.transfers[id], transfer, id) }
        try same(Set(dump.events.keys), Set(model.events.keys), "events")
        for (id, event) in model.events { try compare(dump.events[id], event, id) }
        try await compareReads(dump.operations)
    }

    // MARK: What apps read

    /// Every list and every activity, and what followers of the changes have seen.
    private func compareReads(_ stored: [TransactionID: OperationRecord]) async throws {
        let store = try required(store)
        var lists: [[UInt8]: Set<TransactionID>] = [:]
        var activity: [Address: [TransactionID: ActivityItem]] = [:]
        for (id, row) in model.rows {
            guard let record = stored[id], let operation = world.operations[id] else { continue }
            let isProven = row.isNamed && (row.acceptance != nil || row.isReverted)
            // Without a sender the store takes the first output's owner, which the world does not tell.
            let receiver = row.isNamed ? operation.receiver : record.receiver
            for list in modelLists(operation, record, from: isProven ? operation.sender : nil, to: receiver) {
                lists[list.prefix, default: []].insert(id)
            }
            for item in modelItems(row, operation, record, receiver) {
                activity[item.address, default: [:]][id] = item.item
            }
        }
        for (id, transfer) in model.transfers {
            for address in transfer.listed {
                lists[OperationList.transfers(address).prefix, default: []].insert(id)
                guard let side = world.transfers[id]?.side(of: address) else { continue }
                let content = transfer.acceptance.flatMap { world.contents[$0] }
                let accepted: ActivityStatus = model.unconfirmed.contains(id) ? .accepted : .confirmed
                activity[address, default: [:]][id] = ActivityItem(
                    transactionID: id, kind: nil, direction: side.direction, counterparty: side.counterparty,
                    amount: side.amount, fee: model.fee(of: id), status: content == nil ? .reverted : accepted,
                    blockTime: transfer.blockTime, acceptedAt: content?.timestamp)
            }
        }
        let addresses = Set(world.operations.values.map(\.sender)).union(activity.keys)
        for address in addresses.sorted(by: { "\($0)" < "\($1)" }) {
            let expected = activity[address] ?? [:]
            let filter = ActivityFilter(includesTransfers: true)
            let paged = try await ActivityClient.page(store, address, filter, random.number(in: 1...9))
            try same(
                paged.map(\.position.bytes), paged.map(\.position.bytes).sorted { $1.lexicographicallyPrecedes($0) },
                "order of \(address)'s activity")
            try same(paged.count, expected.count, "items of \(address)'s activity")
            for item in paged { try same(item.seen, expected[item.transactionID]?.seen, "an item of \(address)") }
            let narrow = randomFilter()
            let some = try await ActivityClient.page(store, address, narrow, random.number(in: 1...4))
            try same(
                some.map(\.transactionID), paged.filter(narrow.admits).map(\.transactionID),
                "filtered activity of \(address)")
        }
        for (prefix, ids) in lists { try same(try listed(prefix, store), ids, "list \(prefix.prefix(2))") }
        for index in clients.indices {
            try await clients[index].follow(store)
            let client = clients[index]
            let expected = (activity[client.address] ?? [:]).mapValues(\.seen)
            try same(client.items.mapValues(\.seen), expected, "what a follower of \(client.address) has seen")
        }
        if clients.count < 6, let address = addresses.randomElement(using: &random) {
            clients.append(try await ActivityClient(store, address, page: random.number(in: 1...9)))
        }
    }

    private func listed(_ prefix: [UInt8], _ store: Store) throws -> Set<TransactionID> {
        var ids: Set<TransactionID> = []
        try store.database.scan(.operationLists, prefix: prefix) { row in
            if let id = Hash(bytes: Array(row.key.suffix(32))) { ids.insert(id) }
            return true
        }
        return ids
    }

    private func modelLists(
        _ operation: GeneratedOperation, _ record: OperationRecord, from sender: Address?, to receiver: Address?
    ) -> [OperationList] {
        var lists: [OperationList?] = []
        switch operation.kind {
        case .handshake: lists = [sender.map { .handshakesBySender($0) }, receiver.map { .handshakesByReceiver($0) }]
        case .payment: lists = [sender.map { .paymentsBySender($0) }, receiver.map { .paymentsByReceiver($0) }]
        case .contextualMessage:
            lists = [
                sender.map { .contextualMessages(sender: $0, alias: nil) },
                sender.map { .contextualMessages(sender: $0, alias: operation.alias ?? []) },
            ]
        case .selfStash: lists = [sender.map { .selfStashes(owner: $0, scope: nil) }]
        case .groupMessage: lists = [sender.map { .groupMessagesBySender($0) }]
        case .groupControl: lists = [sender.map { .groupControlsBySender($0) }]
        case .broadcast: lists = [sender.map { .broadcastsBySender($0) }]
        }
        return lists.compactMap(\.self)
    }

    private func modelItems(
        _ row: ChainModel.Row, _ operation: GeneratedOperation, _ record: OperationRecord, _ receiver: Address?
    ) -> [(address: Address, item: ActivityItem)] {
        let isProven = row.isNamed && (row.acceptance != nil || row.isReverted)
        let sender = isProven ? operation.sender : nil
        let other = record.counterparty(on: .mainnet)
        let content = row.acceptance.flatMap { world.contents[$0] }
        var item = ActivityItem(
            transactionID: operation.id, kind: operation.kind, direction: .outgoing, counterparty: other,
            amount: row.isNamed ? operation.amount ?? 0 : record.amount,
            fee: row.acceptance != nil || row.isReverted ? model.fee(of: operation.id) : nil,
            memo: operation.kind == .payment ? operation.payload[record.parsed.body] : nil,
            status: row.isReverted ? .reverted : .pending, blockTime: row.blockTime ?? record.blockTime,
            acceptedAt: content?.timestamp)
        if content != nil { item.status = model.unconfirmed.contains(operation.id) ? .accepted : .confirmed }
        var items: [(Address, ActivityItem)] = []
        if let sender {
            if sender == other || operation.kind == .selfStash {
                item.direction = .toSelf
                item.counterparty = nil
            }
            items.append((sender, item))
        }
        if let other, other != sender {
            item.direction = .incoming
            item.counterparty = sender
            items.append((other, item))
        }
        return items
    }

    private func randomFilter() -> ActivityFilter {
        func some<Value: Hashable>(_ all: [Value]) -> Set<Value> {
            Set(all.sorted { "\($0)" < "\($1)" }.filter { _ in random.chance(0.6) })
        }
        var filter = ActivityFilter(
            kinds: some(OperationKind.allCases), includesTransfers: random.chance(0.5),
            directions: some(ActivityDirection.allCases), statuses: some(ActivityStatus.allCases))
        if random.chance(0.3) { filter.counterparty = world.groups.keys.sorted { "\($0)" < "\($1)" }.first }
        if random.chance(0.5) { filter.since = world.end - UInt64(random.number(in: 0...60_000)) }
        if random.chance(0.5) { filter.until = world.end - UInt64(random.number(in: 0...60_000)) }
        return filter
    }

    private func compare(_ stored: OperationRecord?, _ row: ChainModel.Row, _ id: TransactionID) throws {
        guard let stored, let operation = world.operations[id] else { throw difference("operation \(id)") }
        try same(stored.acceptance, row.acceptance.flatMap { world.contents[$0]?.acceptance }, "acceptance of \(id)")
        try same(stored.kind, operation.kind, "kind of \(id)")
        try same(stored.payload, operation.payload, "payload of \(id)")
        let wasAccepted = row.acceptance != nil || row.isReverted
        try same(stored.fee, wasAccepted ? model.fee(of: id) : nil, "fee of \(id)")
        try same(stored.sender, row.isNamed ? operation.sender : nil, "sender of \(id)")
        if row.isNamed {
            try same(stored.receiver, operation.receiver, "receiver of \(id)")
            try same(stored.amount, operation.amount ?? 0, "amount of \(id)")
        }
        guard let block = row.block, let time = row.blockTime else { return }
        try same(stored.blockHash, block, "block of \(id)")
        try same(stored.blockTime, time, "block time of \(id)")
    }

    private func compare(_ stored: TransferRecord?, _ transfer: ChainModel.Transfer, _ id: TransactionID) throws {
        guard let stored, let truth = world.transfers[id] else { throw difference("transfer \(id)") }
        let content = transfer.acceptance.flatMap { world.contents[$0] }
        try same(stored.acceptance, content?.acceptance, "acceptance of transfer \(id)")
        try same(stored.acceptedAt, content?.timestamp, "time of transfer \(id)")
        try same(stored.blockTime, transfer.blockTime, "block time of transfer \(id)")
        try same(stored.fee, model.fee(of: id), "fee of transfer \(id)")
        try same(Set(stored.listed), transfer.listed, "lists of transfer \(id)")
        for address in transfer.listed {
            try same(stored.side(of: address), truth.side(of: address), "transfer \(id) for \(address)")
        }
    }

    private func compare(_ stored: PushEvent?, _ event: ChainModel.Event, _ id: TransactionID) throws {
        guard let stored else { throw difference("event \(id)") }
        try same(stored.acceptance, world.contents[event.block]?.acceptance, "acceptance of event \(id)")
        guard let operation = world.operations[id] else {
            let credited = world.transfers[id]?.credits.compactMap(\.address) ?? []
            let told = Set(stored.funds?.credits.map(\.address) ?? [])
            return try same(
                told.isSubset(of: model.watchedForFunds) && told.isSubset(of: credited) && !told.isEmpty, true,
                "who is told of transfer \(id)")
        }
        try same(stored.sender, event.isNamed ? operation.sender : nil, "sender of event \(id)")
        try same(stored.queuedAt, event.queuedAt, "time of event \(id)")
        guard event.isNamed else { return }
        try same(stored.receiver, operation.receiver, "receiver of event \(id)")
        try same(stored.amount, operation.amount ?? 0, "amount of event \(id)")
    }

    private func same<Value: Equatable>(_ real: Value, _ expected: Value, _ what: String) throws {
        guard real != expected else { return }
        throw difference("\(what): the store has \(real), the model \(expected)")
    }

    private func difference(_ text: String) -> Difference { Difference(description: text) }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw difference("the indexer is not open") }
        return value
    }

    private func tell(_ text: @autoclosure () -> String) {
        if tells { print("CHAIN_MODEL_SEED=\(seed) \(text())") }
    }
}

extension ActivityItem {
    /// The item without its count of confirmations, which no event tells.
    fileprivate var seen: ActivityItem {
        var item = self
        item.confirmations = nil
        return item
    }
}
