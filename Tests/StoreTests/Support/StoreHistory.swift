import KasiaProtocol
import Kaspa
import SampleOperations

@testable import Store
import StoreSupport

/// A small store's life, the same in every run: after it no column family is empty.
///
/// `Tests/Fixtures/store-v1.rows` to `store-v4.rows` are what the programs of schema versions 1 to 4 wrote of it. So it
/// stays as it is: what later versions write of the same life is what their migrations are held against.
struct StoreHistory {
    /// The moment that it begins at, milliseconds since 1970.
    static let start: UInt64 = 1_700_000_000_000

    private let store: Store
    private var now = StoreHistory.start
    private var event: UInt64 = 0

    private init(_ store: Store) { self.store = store }

    /// Lives it in an empty store.
    static func write(to store: Store) async throws {
        var history = StoreHistory(store)
        try await history.registerDevices()
        try await history.followChain()
        try await history.sendPushes()
        try await history.leaveQuestions()
    }

    // MARK: Devices

    private func registerDevices() async throws {
        try await store.registry.replaceProviderToken(nil, by: Array("provider token".utf8))
        for number in 1...4 {
            var device = Sample.device(
                number, watching: (1...number).map { Sample.address($0) },
                primary: number == 2 ? Sample.address(5) : nil, groups: [StoreHistory.group(number)],
                capabilities: ["group_v1"], at: StoreHistory.start)
            device.watchOnlyAddresses = number == 1 ? [Sample.address(6), Sample.address(7)] : []
            device.walletAddress = number < 3 ? Sample.address(100) : nil
            device.deviceKey =
                number > 1
                ? DeviceKeyUse(keyID: [UInt8](repeating: UInt8(number), count: 32), counter: UInt64(number)) : nil
            let record = device
            let _: DeviceOutcome<Never> = try await store.registry.changeDevice(device.id) { _ in .put(record) }
        }
        try await store.registry.removeDevice(Sample.id(4))
        // Older programs knew no probation.
        for number in 1...3 { try await store.outbox.noteAccepted(Sample.id(number)) }
    }

    // MARK: Chain

    /// A group of each sender's own.
    private static func group(_ sender: Int) -> [UInt8] { [UInt8](repeating: UInt8(0xa0 + sender), count: 32) }

    private static func operation(_ number: Int, acceptedIn block: Int?) -> OperationRecord {
        let kind = OperationKind.allCases[(number - 1) % OperationKind.allCases.count]
        let sender = 1 + number % 4
        let key = String(repeating: "b\(sender)", count: 32)
        let isPaid = kind == .handshake || kind == .payment
        return OperationRecord(
            transactionID: Sample.transaction(number), kind: kind, sender: Sample.address(sender),
            receiver: isPaid ? Sample.address(5) : nil, amount: isPaid ? UInt64(number) * 1_000 : 0,
            blockHash: Sample.block(900 + number), blockTime: StoreHistory.start + UInt64(number) * 1_000,
            acceptance: block.map { Sample.acceptance($0) },
            payload: kind.samplePayload(number, key: key, group: group(sender)))
    }

    private static func accepted(_ number: Int, in block: Int) -> AcceptedOperation {
        let operation = operation(number, acceptedIn: block)
        let isTold = operation.kind != .selfStash && operation.kind != .broadcast
        let sender = 1 + number % 4
        var group: AcceptedOperation.GroupBinding?
        if operation.kind == .groupMessage {
            let key = [UInt8](repeating: UInt8(sender), count: 32)
            group = .init(blindedGroupID: StoreHistory.group(sender), senderPublicKey: key)
        }
        return AcceptedOperation(operation: operation, notifies: isTold && number > 4, group: group)
    }

    private static func transfer(_ number: Int, in block: Int) -> TransferRecord {
        TransferRecord(
            transactionID: Sample.transaction(number), blockTime: start + UInt64(number) * 1_000,
            acceptance: Sample.acceptance(block),
            funds: Funds(
                credits: [.init(address: Sample.address(6), amount: 70), .init(address: Sample.address(7), amount: 7)],
                spenders: [Sample.address(9)]), listed: [6, 7, 9].map { Sample.address($0) }, toOthers: 77)
    }

    private mutating func apply(
        removed: [Int] = [], _ accepted: [AcceptedOperation] = [], transfers: [TransferRecord] = [], cursor: Int
    ) async throws {
        now += 1_000
        _ = try await store.history.apply(
            ChainStep(
                removed: removed.map { Sample.block($0) }, accepted: accepted,
                transfers: transfers.map { AcceptedTransfer($0, push: .due) },
                cursor: Sample.cursor(cursor)),
            now: now, withdrawsUnsent: false, retractsPayments: true)
    }

    /// Blocks 1 to 10 with five operations each; 5, 9 and 10 are replaced, and a third of what they held stays out.
    private mutating func followChain() async throws {
        _ = try await store.history.leaveGap(from: Sample.cursor(0), to: Sample.cursor(1), now: now)
        for block in 1...10 {
            let numbers = (block * 5 - 4)...(block * 5)
            // What no block accepts, and what is seen before.
            try await store.history.recordPending(
                numbers.filter { $0 % 3 == 0 || $0 % 11 == 5 }.map { StoreHistory.operation($0, acceptedIn: nil) })
            try await apply(
                numbers.filter { $0 % 11 != 5 }.map { StoreHistory.accepted($0, in: block) },
                transfers: block % 5 == 0 ? [StoreHistory.transfer(200 + block, in: block)] : [], cursor: block)
            guard block % 5 == 0 else { continue }
            let removed = block == 10 ? [10, 9] : [5]
            let held = (numbers.upperBound - 5 * removed.count + 1)...numbers.upperBound
            try await apply(
                removed: removed,
                held.filter { $0 % 3 != 2 && $0 % 11 != 5 }.map { StoreHistory.accepted($0, in: 50 + block) },
                cursor: 50 + block)
        }
        // The payment that block 5 held is corrected; the one of block 9 waits for that.
        _ = try await store.outbox.retractDue(
            now: StoreHistory.start + 8_000 + Outbox.retractionDelay, knownUntil: .max, limit: 10)
    }

    // MARK: Pushes

    /// Fans out all events but the last three, and answers some deliveries.
    private mutating func sendPushes() async throws {
        let events = try await store.outbox.events(after: 0, limit: 1_000)
        for event in events.dropLast(3) {
            now += 10
            _ =
                event.kind == .paymentReverted
                ? try await store.outbox.fanOutRetraction(
                    event: event.number, limit: 100, ordinaryWatchers: 2, now: now, expiresAt: now + 86_400_000,
                    decide: Sample.correction)
                : try await fanOut(event)
        }
        let endings: [(DeliveryLogEntry.State, String)] = [
            (.delivered, ""), (.dead, "BadExpirationDate"), (.expired, ""), (.suppressed, "operation_gone"),
        ]
        for round in 0..<6 {
            now += 1_000
            var settlements: [Settlement] = []
            for number in 1...3 {
                guard
                    let place = try await store.outbox.deviceState(Sample.id(number)).scheduled?.key(
                        of: Sample.id(number)),
                    let delivery = try store.outbox.dueDelivery(place)?.delivery
                else { continue }
                let (ending, reason) = endings[(round + number) % endings.count]
                settlements.append(
                    Settlement(
                        key: place, transactionID: delivery.transactionID,
                        next: round == 3 ? .retry(at: now + 5_000, omitsPayload: number == 2) : .done,
                        effect: number == 3 ? .strike(limit: 100, mayRemove: true) : .alive, ending: ending,
                        reason: reason))
            }
            _ = try await store.outbox.settle(settlements, now: now)
        }
    }

    private func fanOut(_ event: PushEvent) async throws -> FanOutStep {
        let lists: [WatchKey]
        switch event.kind {
        case .addressActivity: lists = (event.funds?.credits ?? []).map { .funds($0.address) }
        case .payment, .handshake: lists = [.primary(Sample.address(5))]
        default: lists = event.sender.map { [.address($0)] } ?? []
        }
        return try await store.outbox.fanOut(
            event: event.number, lists: lists, limit: 100, ordinaryWatchers: 2, now: now, expiresAt: now + 86_400_000
        ) { device, list in
            guard event.kind == .addressActivity else {
                return device.token == Sample.token(3) ? .suppress(.otherAlias) : .notify
            }
            return .notifyFunds(address: Sample.address(6 + list), amount: 70)
        }
    }

    /// Two accepted operations without a sender, one of them a group's.
    private mutating func leaveQuestions() async throws {
        var accepted: [AcceptedOperation] = []
        for number in [101, 103] {
            var entry = StoreHistory.accepted(number, in: 70)
            entry.operation.sender = nil
            entry.pendingSender = .init(
                needsSender: true, paid: [.init(address: Sample.address(5), amount: 9)], deadline: now + 60_000,
                askingUntil: now + 3_600_000)
            accepted.append(entry)
        }
        try await apply(accepted, cursor: 70)
    }
}
