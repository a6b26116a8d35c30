import Store

/// How the capacity is divided among the lanes.
///
/// Ordinary deliveries may take all of it. Of what becomes free a quarter is offered to the bulk lane first, and a
/// sixteenth to the lane of devices on probation, over the turns too, so that neither starves. The bulk lane holds at
/// most three quarters of the capacity in flight, probation a quarter: while Apple answers slowly, they keep nobody
/// waiting.
struct LaneCapacity {
    /// Of what becomes free, one in so many is offered first.
    static let bulkShare = 4
    static let probationShare = 16

    private let capacity: Int
    private var inFlight: [ScheduleKey.Lane: Int] = [:]
    /// What is left of the free capacity after a lane's share was divided out.
    private var remainders: [ScheduleKey.Lane: Int] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// The most that a lane holds in flight, at least one.
    private func most(_ lane: ScheduleKey.Lane) -> Int {
        switch lane {
        case .ordinary: capacity
        case .bulk: max(1, capacity * 3 / 4)
        case .probation: max(1, capacity / 4)
        }
    }

    private func room(_ lane: ScheduleKey.Lane) -> Int { max(0, most(lane) - inFlight[lane, default: 0]) }

    /// The lanes that may send more.
    var withRoom: [ScheduleKey.Lane] { ScheduleKey.Lane.allCases.filter { room($0) > 0 } }

    mutating func began(_ lane: ScheduleKey.Lane) { inFlight[lane, default: 0] += 1 }

    mutating func ended(_ lane: ScheduleKey.Lane) { inFlight[lane, default: 0] -= 1 }

    /// What may be taken of the schedule while so much is free: each share is offered before the ordinary lane, and
    /// what that leaves after it.
    mutating func request(room: Int) -> DueRequest {
        let probation = share(of: .probation, one: LaneCapacity.probationShare, room: room)
        let bulk = share(of: .bulk, one: LaneCapacity.bulkShare, room: room)
        return DueRequest(
            steps: [
                .init(.probation, limit: probation), .init(.bulk, limit: bulk), .init(.ordinary), .init(.bulk),
                .init(.probation),
            ],
            limit: room,
            laneLimits: Dictionary(uniqueKeysWithValues: ScheduleKey.Lane.allCases.map { ($0, self.room($0)) }))
    }

    private mutating func share(of lane: ScheduleKey.Lane, one part: Int, room: Int) -> Int {
        let (share, remainder) = (room + remainders[lane, default: 0]).quotientAndRemainder(dividingBy: part)
        remainders[lane] = remainder
        return share
    }
}
