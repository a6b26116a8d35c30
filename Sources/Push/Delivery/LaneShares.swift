import Store

/// How the capacity is divided among the lanes.
///
/// Ordinary deliveries may take all of it. Of what becomes free a quarter is offered to the bulk lane first, and a
/// sixteenth to the lane of devices on probation, over the turns too, so that neither starves. The bulk lane holds at most
/// three quarters of the capacity in flight, probation a quarter: while Apple answers slowly, they keep nobody waiting.
struct LaneShares {
    /// Of what becomes free, one in so many is offered first.
    static let bulkShare = 4
    static let probationShare = 16
    /// In which the lanes are asked, those with a share once before and once after the ordinary one.
    static let order: [ScheduleKey.Lane] = [.probation, .bulk, .ordinary, .bulk, .probation]

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

    /// Divides what is free in one turn.
    mutating func turn(room: Int) -> Turn {
        var shares: [ScheduleKey.Lane: Int] = [:]
        for (lane, share) in [(ScheduleKey.Lane.bulk, LaneShares.bulkShare), (.probation, LaneShares.probationShare)] {
            let (quotient, remainder) = (room + remainders[lane, default: 0]).quotientAndRemainder(dividingBy: share)
            shares[lane] = quotient
            remainders[lane] = remainder
        }
        var rooms: [ScheduleKey.Lane: Int] = [:]
        for lane in ScheduleKey.Lane.allCases { rooms[lane] = self.room(lane) }
        return Turn(free: room, shares: shares, rooms: rooms)
    }

    /// What may be taken in one turn, lane by lane in `order`.
    struct Turn {
        private var free: Int
        /// What is offered to a lane before the ordinary one; none once it was.
        private var shares: [ScheduleKey.Lane: Int]
        private var rooms: [ScheduleKey.Lane: Int]

        fileprivate init(free: Int, shares: [ScheduleKey.Lane: Int], rooms: [ScheduleKey.Lane: Int]) {
            self.free = free
            self.shares = shares
            self.rooms = rooms
        }

        func limit(_ lane: ScheduleKey.Lane) -> Int { min(free, shares[lane] ?? .max, rooms[lane, default: 0]) }

        mutating func took(_ count: Int, _ lane: ScheduleKey.Lane) {
            free -= count
            rooms[lane, default: 0] -= count
            shares[lane] = nil
        }
    }
}
