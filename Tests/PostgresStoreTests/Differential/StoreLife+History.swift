import Clocks
import KasiaProtocol
import Kaspa
import SampleOperations

@testable import Store

/// What the chain says, and what is forgotten of it.
extension StoreLife {
    private mutating func operation(_ number: Int, acceptedIn block: Int?) -> OperationRecord {
        // More of those that are corrected when they are taken back.
        let kinds = OperationKind.allCases + [.payment, .payment]
        let kind = kinds[number % kinds.count]
        let sender = address()
        let isPaid = kind == .handshake || kind == .payment
        return OperationRecord(
            transactionID: LifeSamples.transaction(number), kind: kind, sender: oneIn(5) ? nil : sender,
            receiver: isPaid ? address() : nil, amount: isPaid ? UInt64(1 + number) * 1_000 : 0,
            blockHash: LifeSamples.block(900 + number), blockTime: LifeSamples.blockTime + UInt64(number),
            acceptance: block.map(LifeSamples.acceptance), payload: LifeSamples.payload(kind, number, by: sender))
    }

    /// A number that the present chain has not accepted, from now on accepted by `block`.
    private mutating func number(acceptedIn block: Int, from first: Int = 0) -> Int {
        let taken = accepted.values.reduce(into: Set()) { $0.formUnion($1) }
        let free = transactionNumbers.map { first + $0 }.filter { !taken.contains($0) }
        let number = free[below(free.count)]
        accepted[block, default: []].insert(number)
        return number
    }

    private mutating func acceptedOperation(in block: Int) -> AcceptedOperation {
        let number = number(acceptedIn: block)
        var accepted = AcceptedOperation(operation: operation(number, acceptedIn: block), notifies: !oneIn(5))
        if accepted.operation.kind == .groupMessage {
            let key = accepted.operation.sender?.xOnlyPublicKey ?? [UInt8](repeating: 3, count: 32)
            accepted.group = .init(blindedGroupID: LifeSamples.group(below(2)), senderPublicKey: key)
        }
        if accepted.operation.sender == nil, !oneIn(3) {
            accepted.pendingSender = .init(
                needsSender: oneIn(2), paid: oneIn(2) ? [.init(address: address(), amount: 9)] : [],
                deadline: now + UInt64(below(50_000)), askingUntil: now + UInt64(below(100_000)))
        }
        return accepted
    }

    private mutating func transfer(in block: Int) -> AcceptedTransfer {
        let number = number(acceptedIn: block, from: 10_000)
        let credited = addresses(oneIn: 2)
        let spenders = addresses(oneIn: 3)
        return AcceptedTransfer(
            TransferRecord(
                transactionID: LifeSamples.transaction(number), blockTime: LifeSamples.blockTime + UInt64(number),
                acceptance: LifeSamples.acceptance(block), acceptedAt: now,
                funds: Funds(credits: credited.map { .init(address: $0, amount: 7) }, spenders: spenders),
                listed: credited + spenders.filter { !credited.contains($0) },
                toSpenders: UInt64(7 * credited.filter(spenders.contains).count),
                toOthers: UInt64(7 * credited.filter { !spenders.contains($0) }.count)),
            push: oneIn(4) ? (oneIn(2) ? .off : .tooOld) : .due)
    }

    mutating func recordPending() async throws {
        let numbers = transactionNumbers
        let operations = (0...below(3)).map { _ in operation(numbers.lowerBound + below(30), acceptedIn: nil) }
        _ = try await both("pending") { try await $0.history.recordPending(operations) }
    }

    mutating func applyStep() async throws {
        let (now, withdraws, retracts) = (now, oneIn(3), !oneIn(5))
        let step: ChainStep
        if oneIn(6), let lastStep { step = lastStep } else { step = chainStep() }
        lastStep = step
        _ = try await both("apply") {
            try await $0.history.apply(step, now: now, withdrawsUnsent: withdraws, retractsPayments: retracts)
        }
    }

    private mutating func chainStep() -> ChainStep {
        var removed: [BlockHash] = []
        while oneIn(3), let last = chain.popLast() {
            removed.append(LifeSamples.block(last))
            accepted[last] = nil
        }
        var step = ChainStep(removed: removed, accepted: [], cursor: LifeSamples.cursor(nextBlock))
        for _ in 0..<below(3) {
            let block = nextBlock
            chain.append(block)
            step.accepted += (0..<below(4)).map { _ in acceptedOperation(in: block) }
            step.transfers += (0..<below(3)).map { _ in transfer(in: block) }
            nextBlock += 1
        }
        step.cursor = LifeSamples.cursor(nextBlock)
        return step
    }

    mutating func askForSenders() async throws {
        let now = now
        let due = try await both("questions") { try await $0.history.dueSenderQuestions(now: now + 1_000, limit: 5) }
        for question in due {
            switch below(4) {
            case 0...1:
                let (sender, receiver) = (address(), address())
                _ = try await both("resolve") {
                    try await $0.history.resolveSender(
                        question, sender: sender, receiver: question.isPaid ? receiver : nil, amount: 5, now: now)
                }
            case 2:
                let attempt: SenderAttempt = [.notPut, .unanswered, .refused][below(3)]
                _ = try await both("postpone") { store in
                    try await store.history.postponeSender(question, after: attempt, now: now, pause: 500)
                    return true
                }
            default: break
            }
        }
        let choice = below(3)
        _ = try await both("end of waits") {
            try await $0.history.endSenderWaits(now: now, askingUntil: now + 30_000, limit: 2) { question, operation in
                guard question.notifies else { return choice == 0 ? .waits(until: now + 700) : .givenUp }
                switch choice {
                case 0: return .waits(until: now + 700)
                case 1: return .suppressed
                default: return operation == nil ? .suppressed : .released
                }
            }
        }
    }

    mutating func forgetHistory() async throws {
        var limits = HistoryLimits()
        if oneIn(2) {
            limits.bodiesBefore = LifeSamples.blockTime + UInt64(max(0, transactionNumbers.lowerBound - below(20)))
        }
        if oneIn(2) {
            limits.neverAcceptedBefore = LifeSamples.blockTime + UInt64(transactionNumbers.lowerBound + below(20))
        }
        // `check` looks for those of the last 100,000.
        if oneIn(2) { limits.acceptancesBelow = LifeSamples.blueScore(max(0, nextBlock - 2 - below(3))) }
        limits.queuedBefore = oneIn(2) ? now + 1 : now - min(now, UInt64(below(600)))
        let (limit, rows, start) = (limits, 1 + below(9), place)
        let step = try await both("forget") { try await $0.history.forgetHistory(limit, at: start, rows: rows) }
        place = step.next ?? .start
    }

    /// What the store keeps for others.
    mutating func keepState() async throws {
        let (now, next) = (now, nextBlock)
        switch below(4) {
        case 0:
            _ = try await both("gap") {
                "\(try await $0.history.leaveGap(from: LifeSamples.cursor(0), to: LifeSamples.cursor(next), now: now))"
            }
        case 1:
            let token = [UInt8(below(256))]
            _ = try await both("token") { store in
                let before = try await store.registry.providerToken()
                return try await store.registry.replaceProviderToken(before, by: token)
            }
        case 2:
            _ = try await both("clock") { store in
                try await store.keep(ClockReading(service: now, wall: now, chain: now))
                return true
            }
        default:
            _ = try await both("reset") { store in
                try await store.history.resetCursor(to: LifeSamples.cursor(next))
                return true
            }
        }
    }
}
