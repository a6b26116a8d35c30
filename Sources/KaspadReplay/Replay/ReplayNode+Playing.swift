import GRPCCore
import KaspaNode
import Logging
import Recordings
import SwiftProtobuf
import Synchronization

extension ReplayNode {
    /// The number of entries in the recording.
    package var entryCount: Int { recording.entries.count }

    /// The number of entries told so far.
    package var playedCount: Int { state.withLock { $0.playedCount } }

    /// Tells all entries before `entryIndex` that have not been told; never takes any back.
    ///
    /// Subscribers have been sent, or have waiting for them, what this tells when it returns.
    package func advance(to entryIndex: Int) async {
        startTimes()
        while let sessions = tellNext(before: entryIndex) {
            // At real time nobody is waited for: a subscriber that is too slow was cut off.
            if case .realTime = configuration.pace { continue }
            for session in sessions { await session.queue.room() }
        }
    }

    /// Tells the rest of the recording.
    package func advanceToEnd() async {
        await advance(to: entryCount)
    }

    /// Fixes the moment to which times are moved, once.
    func startTimes() {
        guard configuration.blockTimes != .recorded, state.withLock({ $0.times == nil }) else { return }
        let times = ReplayTimes(recording.entries, pace: configuration.pace, start: configuration.now())
        state.withLock { if $0.times == nil { $0.times = times } }
    }

    /// Tells one entry and says to whom; nil when none is left before `limit`.
    private func tellNext(before limit: Int) -> [ReplaySession]? {
        let cutOff: [ReplaySession]
        let told: [ReplaySession]?
        (told, cutOff) = state.withLock { state in
            guard state.playedCount < min(limit, entryCount) else { return (nil, []) }
            let recorded = recording.entries[state.playedCount]
            if configuration.blockTimes == .ofTelling { state.times?.tell(recorded, at: configuration.now()) }
            let entry = state.times?.moved(recorded) ?? recorded
            state.playedCount += 1
            let scoreBefore = state.chain.virtualDAAScore
            // The whole recording was tried when the node was made.
            do { try state.chain.apply(entry) } catch { return (nil, []) }
            let scoreAfter = state.chain.virtualDAAScore

            var told: [ReplaySession] = []
            var cutOff: [ReplaySession] = []
            for (session, subscriptions) in state.sessions.values {
                var messages = [Self.notification(of: entry, for: subscriptions)]
                if subscriptions.virtualDAAScoreChanged, scoreAfter != scoreBefore {
                    messages.append(.virtualDaaScoreChangedNotification(.with { $0.virtualDaaScore = scoreAfter }))
                }
                let isKeptUp = messages.compactMap(\.self).allSatisfy { send($0, to: session, state.faults) }
                if isKeptUp { told.append(session) } else { cutOff.append(session) }
            }
            return (told, cutOff)
        }
        for session in cutOff {
            logger.warning("slow subscriber cut off", metadata: ["session": "\(session.id)"])
            session.queue.abort(RPCError(code: .resourceExhausted, message: "too slow for the notifications"))
        }
        return told
    }

    /// False when the subscriber has too much waiting already.
    private func send(
        _ payload: Protowire_KaspadResponse.OneOf_Payload, to session: ReplaySession, _ faults: ReplayFaults
    ) -> Bool {
        guard !faults.dropsNotifications, let message = faults.passed(.with { $0.payload = payload }) else {
            return true
        }
        return (0...max(0, faults.notificationRepeats)).allSatisfy { _ in session.queue.offer(message) }
    }

    private static func notification(
        of entry: Recording_RecordingEntry, for subscriptions: ReplaySubscriptions
    ) -> Protowire_KaspadResponse.OneOf_Payload? {
        switch entry.event {
        case .block(let block) where subscriptions.blockAdded:
            return .blockAddedNotification(.with { $0.block = block })
        case .virtualChain(let change) where subscriptions.virtualChainChanged:
            return .virtualChainChangedNotification(
                .with {
                    $0.removedChainBlockHashes = change.removedChainBlockHashes
                    $0.addedChainBlockHashes = change.added.map(\.chainBlockHeader.hash)
                    guard subscriptions.acceptedTransactionIDs else { return }
                    $0.acceptedTransactionIds = change.added.map { acceptance in
                        .with {
                            $0.acceptingBlockHash = acceptance.chainBlockHeader.hash
                            $0.acceptedTransactionIds = acceptance.acceptedTransactions.map(\.verboseData.transactionID)
                        }
                    }
                })
        default:
            return nil
        }
    }
}
