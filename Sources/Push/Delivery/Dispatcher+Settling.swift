import Clocks
import Logging
import Store

/// Writes settlements.
extension Dispatcher {
    /// Begins to write the settlements of `batch` together, while the loop continues.
    static func write(
        _ batch: [FinishedAttempt], to store: Store, now: UInt64
    ) -> Task<Result<[SettlementResult], StoreError>, Never> {
        let write = { @Sendable () async -> Result<[SettlementResult], StoreError> in
            guard !batch.isEmpty else { return .success([]) }
            do throws(StoreError) {
                return .success(try await store.outbox.settle(batch.map(\.settlement), now: now))
            } catch {
                return .failure(error)
            }
        }
        // On the caller's thread as far as the store's: no third one has to be woken.
        if #available(macOS 26, *) { return Task.immediate(operation: write) }
        return Task(operation: write)
    }

    /// Handles the result of `write` for `batch`: attempts blocked by a corrupt row are parked, the rest are settled,
    /// and their devices are free again.
    ///
    /// Throws when the store refuses every write. Then the attempts stay, and are written in a later turn.
    func noteWritten(
        _ batch: [FinishedAttempt], _ outcome: Result<[SettlementResult], StoreError>
    ) async throws(StoreError) {
        switch outcome {
        case .success(let results):
            for (attempt, result) in zip(batch, results) { noteSettled(attempt, result) }
        case .failure(let error) where error.refusesEveryWrite:
            deliveries.keep(batch)
            throw error
        case .failure:
            // Nothing was written. Writing each alone finds the one with the error.
            try await settleEach(batch)
        }
    }

    /// Writes the settlements of all answered deliveries, and waits for it.
    func settleAnswered() async throws(StoreError) {
        let batch = deliveries.beginWriting()
        try await noteWritten(batch, Dispatcher.write(batch, to: store, now: clock.now()).value)
    }

    private func settleEach(_ batch: [FinishedAttempt]) async throws(StoreError) {
        var unwritten: [FinishedAttempt] = []
        defer { deliveries.keep(unwritten) }
        for (index, attempt) in batch.enumerated() {
            do throws(StoreError) {
                try await settle(attempt)
            } catch {
                guard !error.refusesEveryWrite else {
                    unwritten += batch[index...]
                    throw error
                }
                if !park(attempt, after: error) { unwritten.append(attempt) }
            }
        }
    }

    /// Tries parked attempts again, each alone, since the rows may have been repaired.
    func settleParked() async throws(StoreError) {
        for attempt in deliveries.parked.attempts.values {
            do throws(StoreError) {
                try await settle(attempt)
            } catch {
                if error.refusesEveryWrite { throw error }
                _ = deliveries.park(attempt, after: error)
            }
        }
    }

    private func settle(_ attempt: FinishedAttempt) async throws(StoreError) {
        let results = try await store.outbox.settle([attempt.settlement], now: clock.now())
        for result in results { noteSettled(attempt, result) }
    }

    /// Parks an attempt.
    ///
    /// Returns whether there was room.
    private func park(_ attempt: FinishedAttempt, after error: StoreError) -> Bool {
        let (isParked, next) = deliveries.park(attempt, after: error)
        guard isParked else { return false }
        if let next { giveBack([next]) }
        logger.error(
            "push.settlement.parked",
            metadata: [
                "transaction": "\(attempt.settlement.transactionID)",
                "device": "\(attempt.settlement.key.device)", "error.message": "\(error.message)",
            ])
        return true
    }

    private func noteSettled(_ attempt: FinishedAttempt, _ result: SettlementResult) {
        if let next = deliveries.settle(attempt.settlement.key) { giveBack([next]) }
        if let key = result.scheduled { cursor.added(key) }
        count(attempt, result)
    }
}
