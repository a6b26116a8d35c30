import Store

extension Registry {
    /// Creates or replaces a registration, whoever may sign for it; `make` gets the present one.
    func upsertDevice(
        _ id: DeviceID, _ make: @escaping @Sendable (DeviceRecord?) -> DeviceRecord
    ) async throws(StoreError) {
        let outcome: DeviceOutcome<Never> = try await changeDevice(id) { .put(make($0)) }
        guard case .put = outcome else { preconditionFailure("a registration was refused: \(outcome)") }
    }

    /// How many devices are in the index under `key`, at most `limit`.
    func watcherCount(_ key: WatchKey, limit: Int) async throws(StoreError) -> Int {
        try await watchers(key, limit: limit).count
    }
}
