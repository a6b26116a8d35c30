import Clocks
import Logging
import Store

/// How the fates of finished attempts are written.
extension PushNotificationActor {
    /// Writes the fates of `batch` in one batch, beside what the loop does meanwhile.
    @concurrent
    static func write(
        _ batch: [FinishedAttempt], to store: Store, now: UInt64
    ) async -> Result<[SettlementResult], StoreError> {
        guard !batch.isEmpty else { return .success([]) }
        do throws(StoreError) {
            return .success(try await store.settle(batch.map(\.settlement), now: now))
        } catch {
            return .failure(error)
        }
    }

    /// Takes over what `write` has made of `batch`; what a damaged row keeps from being written is parked, and all else
    /// goes its way; the devices can be sent to again.
    ///
    /// Throws when the store takes nothing at all: then they stay, and are written in a later turn.
    func noteWritten(
        _ batch: [FinishedAttempt], _ outcome: Result<[SettlementResult], StoreError>
    ) async throws(StoreError) {
        defer {
            for device in beingWritten {
                if let waiting = postponed.removeValue(forKey: device) { scanner.added(waiting) }
            }
            beingWritten = []
        }
        switch outcome {
        case .success(let results):
            finished.removeFirst(batch.count)
            for (attempt, result) in zip(batch, results) { noteSettled(attempt, result) }
        case .failure(let error):
            if error.refusesEveryWrite { throw error }
            // Nothing of it was written. Whose error it was shows when each goes alone.
            try await settleEach(batch)
        }
    }

    /// Writes the fates of all that is finished, and waits for it.
    func settleFinished() async throws(StoreError) {
        let batch = finished
        try await noteWritten(batch, PushNotificationActor.write(batch, to: store, now: clock.now()))
    }

    /// `batch` stands at the beginning of `finished`; what is answered meanwhile comes behind it.
    private func settleEach(_ batch: [FinishedAttempt]) async throws(StoreError) {
        var index = 0
        for attempt in batch {
            do throws(StoreError) {
                let results = try await store.settle([attempt.settlement], now: clock.now())
                finished.remove(at: index)
                for result in results { noteSettled(attempt, result) }
            } catch {
                if error.refusesEveryWrite { throw error }
                if parked.park(attempt, after: error) {
                    finished.remove(at: index)
                    logger.error(
                        "push.settlement.parked",
                        metadata: [
                            "transaction": "\(attempt.settlement.transactionID)",
                            "device": "\(attempt.settlement.key.device)", "error.message": "\(error.message)",
                        ])
                } else {
                    index += 1
                }
            }
        }
    }

    /// Tries the parked ones again, each alone: the rows may have been repaired.
    func settleParked() async throws(StoreError) {
        for attempt in parked.attempts.values {
            do throws(StoreError) {
                let results = try await store.settle([attempt.settlement], now: clock.now())
                parked.remove(attempt)
                for result in results { noteSettled(attempt, result) }
            } catch {
                if error.refusesEveryWrite { throw error }
                _ = parked.park(attempt, after: error)
            }
        }
    }

    private func noteSettled(_ attempt: FinishedAttempt, _ result: SettlementResult) {
        unsettled.remove(attempt.settlement.key)
        if let key = result.scheduled { scanner.added(key) }
        count(attempt, result)
    }
}
