public import Kaspa
import Policy
public import Store

/// Says why a transaction was pushed to a device, or was not, and what its carrier answered (operator guide, "Why was a
/// device not notified?").
///
/// It shows the kind, short addresses and short device names, but never a payload, a memo, an alias or a token. It asks
/// the rules again, with today's registrations. What was sent, and with which result, comes from the delivery log.
public struct Explainer: Sendable {
    private let store: Store
    private let now: UInt64

    /// Reads this store, and writes nothing to it; `now` is in milliseconds since 1970.
    public init(store: Store, now: UInt64) {
        self.store = store
        self.now = now
    }

    /// Sentences about the transaction, then about each device concerned, at most `limit` of each way to be concerned.
    ///
    /// With a `token` (raw bytes) only about that device.
    public func explain(_ id: TransactionID, token: [UInt8]?, limit: Int) async throws(StoreError) -> [String] {
        let operation = try await store.history.operation(id)
        let transfer = try await store.history.transfer(id)
        let marker = try await store.outbox.enqueuedMarker(id)
        var queued: PushEvent?
        if let marker { queued = try await store.outbox.events([marker.event]).first }
        var lines: [String]
        let event: PushEvent
        if let operation {
            lines = about(operation)
            event = queued ?? PushEvent(operation)
        } else if let transfer {
            lines = about(transfer)
            event = queued ?? PushEvent(transfer)
        } else {
            return [
                "Transaction \(id) is not known: no block that was seen has it, or it carries nothing of ours "
                    + "and touched no watched address when it was accepted."
            ]
        }
        if let question = try await store.history.unresolvedSender(of: id) {
            lines.append(Explainer.sentence(question))
        }
        lines += about(marker, queued)
        if let reverted = try await store.outbox.reverted(id) { lines.append(Explainer.sentence(reverted, event)) }
        let audience = Audience(
            event, network: store.network,
            chainTime: try await store.history.cursor()?.timestamp ?? .max)
        if audience.lists.isEmpty { lines.append(Explainer.nobody(event)) }
        if let token {
            await lines.append(try about(DeviceID(token: token), id, marker, audience, list: nil))
        } else {
            await lines += try aboutAll(id, marker, audience, limit: limit)
        }
        return lines
    }

    private func about(_ operation: OperationRecord) -> [String] {
        let sender = operation.sender?.short ?? "an unknown sender"
        let receiver = operation.receiver.map { " to \($0.short)" } ?? ""
        var lines = [
            "Transaction \(operation.transactionID) is a \(operation.kind) from \(sender)\(receiver), "
                + "block time \(operation.blockTime)."
        ]
        lines.append(about(operation.acceptance))
        return lines
    }

    private func about(_ transfer: TransferRecord) -> [String] {
        let sender = transfer.funds.spenders.first?.short ?? "nobody that is known"
        let listed = Set(transfer.listed)
        let credited = transfer.funds.credits.map(\.address).filter { listed.isEmpty || listed.contains($0) }
        let first = credited.first.map { ", \($0.short) first" } ?? ""
        let spent = transfer.funds.spenders.count { listed.contains($0) }
        let spends = spent > 0 ? ", and spends coins of \(spent)" : ""
        return [
            "Transaction \(transfer.transactionID) is a plain transfer from \(sender) that credits "
                + "\(credited.count) watched addresses\(first)\(spends), block time \(transfer.blockTime).",
            about(transfer.acceptance),
        ]
    }

    private func about(_ acceptance: OperationRecord.Acceptance?) -> String {
        guard let acceptance else { return "The virtual chain has not accepted it, or a reorganisation took it out." }
        return "Chain block \(acceptance.blockHash) accepted it at DAA score \(acceptance.daaScore)."
    }

    private static func sentence(_ reverted: RevertedRecord, _ event: PushEvent) -> String {
        let correction = reverted.isRetracted ? "; the correction was queued" : ""
        return "A reorganisation took it out at \(reverted.revertedAt), after it was queued for push\(correction)."
    }

    private func about(_ marker: EnqueuedMarker?, _ queued: PushEvent?) -> [String] {
        guard let marker else {
            return [
                "It is not marked as queued: it was too old when it was found, pushes were off, "
                    + "it was queued longer ago than push.max_age, it credits nobody who watches for funds, "
                    + "or it is a broadcast in a channel that push.broadcast_channels does not name."
            ]
        }
        guard marker.event > 0 else {
            return ["Nobody was told: when its time was up at \(marker.time), its sender was still unknown."]
        }
        let progress = queued.map { "\($0.progress.walked) watchers looked at so far" } ?? "all watchers looked at"
        return ["It was queued for push at \(marker.time) as event \(marker.event), \(progress)."]
    }

    private static func sentence(_ question: UnresolvedSender) -> String {
        let asked = question.attempts == 1 ? "1 time" : "\(question.attempts) times"
        return question.notifies
            ? "The node was asked \(asked) who sent it; the push waits for the answer until \(question.deadline)."
            : "The node was asked \(asked) who sent it; no push waits for the answer."
    }

    private static func nobody(_ event: PushEvent) -> String {
        switch event.kind {
        case .selfStash: "Nobody is notified of a \(event.kind)."
        case .broadcast:
            "Nobody is notified: its sender is not known, its channel has no valid name, or it is a reaction or an edit."
        case .payment, .handshake:
            event.receiver == nil
                ? "Nobody is notified: its receiver is not known." : "Nobody is notified of what is paid to oneself."
        case .addressActivity: "Nobody is notified: it credits no address."
        case .contextualMessage, .groupMessage, .groupControl, .paymentReverted:
            "Nobody is notified: its sender is not known, or is not the one that it names."
        }
    }

    // MARK: Devices

    private func aboutAll(
        _ id: TransactionID, _ marker: EnqueuedMarker?, _ audience: Audience, limit: Int
    ) async throws(StoreError) -> [String] {
        var lines: [String] = []
        var seen: Set<DeviceID> = []
        for (index, key) in audience.lists.enumerated() {
            let watchers = try await store.registry.watchers(key, limit: limit + 1)
            for device in watchers.prefix(limit) where seen.insert(device).inserted {
                await lines.append(try about(device, id, marker, audience, list: index))
            }
            if watchers.count > limit { lines.append("More than \(limit) devices watch: the others are left out.") }
        }
        // Whoever was told and has since changed what it watches.
        var logged: [DeliveryLogEntry] = []
        if let marker {
            for shard in try await store.allShards() {
                logged += try await shard.outbox.logEntries(of: id, queuedAt: marker.time, limit: limit)
            }
        }
        for entry in logged where seen.insert(entry.device).inserted {
            await lines.append(try about(entry.device, id, marker, audience, list: nil))
        }
        if lines.isEmpty { lines.append("No registered device is concerned.") }
        return lines
    }

    /// One device: the rule, then the log.
    ///
    /// Without `list` it is looked for in all of them.
    private func about(
        _ id: DeviceID, _ transaction: TransactionID, _ marker: EnqueuedMarker?, _ audience: Audience, list: Int?
    ) async throws(StoreError) -> String {
        guard let device = try await store.registry.device(id) else { return "Device \(id) is not registered." }
        var position = list
        if position == nil {
            for (index, key) in audience.lists.enumerated() where position == nil {
                if try await store.registry.isWatched(key, by: id) { position = index }
            }
        }
        let rule =
            position.map { Explainer.sentence(audience.decide(device, list: $0)) }
            ?? "it watches nothing that this transaction names"
        let entries = try await store.outbox(of: id).logEntries(of: id, transaction).map(Explainer.sentence)
        let sent = await entries.isEmpty ? try nothing(sentTo: id, marker) : entries.joined(separator: "; ")
        return "Device \(id): \(rule); \(sent)."
    }

    /// What it means that a device's log has nothing of a transaction: the log forgets by age, and by number.
    private func nothing(sentTo id: DeviceID, _ marker: EnqueuedMarker?) async throws(StoreError) -> String {
        let state = try await store.outbox(of: id).deviceState(id)
        guard state.isAccepted || state.waiting < state.capacity(StoreLimits()) else {
            return
                "nothing was sent to it: its carrier has never accepted its token, and \(state.waiting) deliveries wait for it"
        }
        guard let log = try await store.outbox(of: id).deliveryLog(of: id, after: 0, queuedSince: 0, limit: 1),
            log.latestSeq > 0
        else {
            return "nothing was sent to it"
        }
        let isYoung = marker.map { now < $0.time.later(by: StoreLimits.logAge) } == true
        guard !isYoung || log.latestSeq > StoreLimits().logPerDevice else { return "nothing was sent to it" }
        let beginning = log.oldestSeq.map { "begins with delivery \($0)" } ?? "is empty by now"
        return "its log, which \(beginning), has nothing of it"
    }

    private static func sentence(_ decision: WatcherDecision) -> String {
        switch decision {
        case .notify: "the rule says to tell it"
        case .notifyFunds: sentence(within: .funds)
        case .notifyWithin(let limit): sentence(within: limit)
        case .skip: "it watches one of the two, but its primary address decides"
        case .suppress(.ownMessage): "its own wallet sent this"
        case .suppress(.otherAlias): "it lists aliases, and the message's is not one of them"
        case .suppress(.missingCapability): "it lacks the capability \(DeviceRecord.groupCapability)"
        case .suppress(.beforeRegistration): "the transaction is from before its registration"
        case .suppress(.ownTransfer): "its own coins were spent"
        case .suppress(.hourlyLimit): "it was told of such things as often as it may be within the hour"
        case .suppress(.hiddenSender): "its owner hides this sender in the channel"
        case .suppress(.onProbation): "its carrier has never accepted its token, and enough waits for it"
        case .suppress(.deviceRemoved), .suppress(.operationGone), .suppress(.neverTold), .suppress(.queueFull):
            "it is not told"
        }
    }

    private static func sentence(within limit: HourlyLimit) -> String {
        "the rule says to tell it, at most \(limit.pushes) times an hour"
    }

    private static func sentence(_ entry: DeliveryLogEntry) -> String {
        let attempts = entry.attempts == 1 ? "1 attempt" : "\(entry.attempts) attempts"
        let answer = entry.reason.isEmpty ? "" : ", last answer \(entry.reason)"
        let time = entry.changedAt == 0 ? "" : ", at \(entry.changedAt)"
        let correction = entry.kind == .paymentReverted ? "the correction, " : ""
        return "\(correction)delivery \(entry.seq) is \(entry.state) after \(attempts)\(answer)\(time)"
    }
}

extension PushEvent {
    /// The event as it would be made of the operation now: the rules ask for no more.
    fileprivate init(_ operation: OperationRecord) {
        self.init(
            number: 0, transactionID: operation.transactionID, kind: PushKind(operation.kind), sender: operation.sender,
            receiver: operation.receiver, amount: operation.amount, blockTime: operation.blockTime,
            acceptance: operation.acceptance
                ?? OperationRecord.Acceptance(blockHash: .zero, daaScore: 0, blueScore: 0), queuedAt: 0,
            subject: PushSubject(operation))
    }

    /// The same of a plain transfer.
    fileprivate init(_ transfer: TransferRecord) {
        self.init(
            number: 0, transactionID: transfer.transactionID, kind: .addressActivity,
            sender: transfer.funds.spenders.first, receiver: nil, amount: 0, blockTime: transfer.blockTime,
            acceptance: transfer.acceptance
                ?? OperationRecord.Acceptance(blockHash: .zero, daaScore: 0, blueScore: 0), queuedAt: 0,
            funds: transfer.funds)
    }
}
