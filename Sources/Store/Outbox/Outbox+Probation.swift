import Kaspa

extension Outbox {
    /// A device on probation is not asked to give way before it is so old, milliseconds: a day.
    public static let probationGrace: UInt64 = 86_400_000
    /// Rows of `device_states` that one search for a device that can give way reads.
    static let statesPerSearch = 512
    /// Registrations that it reads of those.
    static let candidatesPerSearch = 16

    /// Notes that Apple has accepted a notification for a device's token, as a settlement with `.alive` does: for what
    /// begins with devices that are not on probation, such as tests and benchmarks.
    public func noteAccepted(_ id: DeviceID) async throws(StoreError) {
        try await write { (transaction) throws(StoreError) in
            var state = try transaction.deviceState(id)
            _ = state.take(.alive, now: 0)
            transaction.put(.deviceStates, id.bytes, state.encoded)
        }
    }

    /// A device on probation that can give way to a new one: of a sample the one that was renewed longest ago.
    ///
    /// `start` is where the sample begins; with a random one, repeated calls find one if there are some. Devices of
    /// less than a day are left alone. Nil: the sample holds none.
    public func deviceToEvict(near start: DeviceID, now: UInt64) async throws(StoreError) -> DeviceID? {
        try await read { () throws(StoreError) -> DeviceID? in
            try database.snapshot().deviceToEvict(near: start, now: now, network: network)
        }
    }
}

extension StoreReading {
    /// The same, for whoever removes it in the same batch.
    func deviceToEvict(near start: DeviceID, now: UInt64, network: Network) throws(StoreError) -> DeviceID? {
        var read = 0
        var found: [DeviceID] = []
        func look(from lower: [UInt8], below upper: [UInt8]) throws(StoreError) {
            try scan(.deviceStates, from: lower, below: upper) { (row) throws(StoreError) in
                guard read < Outbox.statesPerSearch, found.count < Outbox.candidatesPerSearch else { return false }
                read += 1
                if try !DeviceState(encoded: Array(row.value)).isAccepted {
                    found.append(DeviceID(bytes: Array(row.key)))
                }
                return true
            }
        }
        try look(from: start.bytes, below: KeyBytes.successor(ofPrefix: []))
        try look(from: [], below: start.bytes)
        try willRead {
            var ahead = RowsAhead()
            ahead.addRegistrations(of: found)
            return ahead
        }
        var oldest: DeviceRecord?
        for id in found {
            guard let device = try device(id, network: network), now >= device.createdAt,
                now - device.createdAt >= Outbox.probationGrace, device.lastSeen < oldest?.lastSeen ?? .max
            else { continue }
            oldest = device
        }
        return oldest?.id
    }
}
