import Store

/// Divides the capacity among the lanes.
///
/// Ordinary deliveries may use all of it. A quarter of what becomes free is offered to the bulk lane first, and a
/// sixteenth to the lane of devices on probation, so that neither starves. The bulk lane may use at most three quarters
/// of the capacity, probation a quarter, so that they delay nobody while the carrier answers slowly.
struct LaneCapacity {
    /// The bulk lane is offered one in this many of the free places first.
    static let bulkShare = 4
    static let probationShare = 16

    private let capacity: Int
    private var inFlight: [ScheduleKey.Lane: Int] = [:]
    /// The remainder of each lane's share, carried over to the next turn.
    private var remainders: [ScheduleKey.Lane: Int] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// The most deliveries of a lane in flight, at least one.
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

    /// What to take from the schedule for this much room: first each lane's share, then the ordinary lane, then the
    /// other lanes again.
    mutating func request(room: Int, for carrier: CarrierName = .apns) -> DueRequest {
        let probation = share(of: .probation, one: LaneCapacity.probationShare, room: room)
        let bulk = share(of: .bulk, one: LaneCapacity.bulkShare, room: room)
        return DueRequest(
            carrier: carrier,
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
