import Kaspa

/// What Apple's stand-in took over the day.
struct DeliveryJournal {
    private(set) var lastNumber = 0
    private(set) var count = 0
    /// Notifications of the same transaction to the same device, after the first.
    private(set) var doubles = 0
    /// Notifications that came between the answer to an unregister and the next register of that device.
    private(set) var afterUnregister = 0
    private var seen: Set<String> = []

    mutating func add(_ notifications: [SandboxControl.Notification], guests: GuestBook) {
        for notification in notifications {
            lastNumber = notification.number
            count += 1
            let key = Self.key(notification.token, notification.collapseId ?? "")
            if !seen.insert(key).inserted { doubles += 1 }
            if guests.isAway(notification.token, at: notification.receivedAt) { afterUnregister += 1 }
        }
    }

    /// How many of `devices` were told of `operations` and should not have been, or the other way round.
    ///
    /// What the chain had for a while and lost may have been told or not. `lastLost` is the place, from 1 on, of the last
    /// operation of which a device was not told; 0 if there is none.
    func compare(
        _ devices: [DayDevice], _ operations: [DayOperation]
    ) -> (required: Int, lost: Int, lastLost: Int, unexpected: Int) {
        var (required, lost, lastLost, allowed) = (0, 0, 0, Set<String>())
        var watchers: [String: [DayDevice]] = [:]
        for device in devices {
            for address in Set([device.own] + device.contacts) {
                watchers[address.description, default: []].append(device)
            }
        }
        for (place, operation) in operations.enumerated() where operation.wasAccepted {
            let people = Set([operation.sender, operation.receiver ?? operation.sender])
            let near = people.flatMap { watchers[$0.description] ?? [] }
            for token in Set(near.filter { $0.isTold(of: operation) }.map(\.token)) {
                let key = Self.key(token, operation.id)
                allowed.insert(key)
                guard operation.isAccepted else { continue }
                required += 1
                guard !seen.contains(key) else { continue }
                lost += 1
                lastLost = place + 1
            }
        }
        let tokens = Set(devices.map(\.token))
        let unexpected = seen.count { key in
            tokens.contains(String(key.prefix { $0 != " " })) && !allowed.contains(key)
        }
        return (required, lost, lastLost, unexpected)
    }

    /// How many notifications any of these devices has had.
    func count(of devices: [DayDevice]) -> Int {
        let tokens = Set(devices.map(\.token))
        return seen.count { tokens.contains(String($0.prefix { $0 != " " })) }
    }

    private static func key(_ token: String, _ transaction: String) -> String { "\(token) \(transaction)" }
}
