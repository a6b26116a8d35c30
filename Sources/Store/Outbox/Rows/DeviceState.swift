/// What deliveries change about a device; kept beside the registration so that a push does not rewrite its watch list.
///
/// A row is written when a delivery is queued. When a device's only delivery ends and nothing else changes, its row stays
/// as it is, and goes on saying that this one waits: one write a delivery less. `StoreReading.deviceState` looks.
public struct DeviceState: Equatable, Sendable {
    /// The last `seq` given out; 0 before the first delivery.
    public var lastSeq: UInt64 = 0
    /// How often in a row the carrier called the token invalid.
    public var strikes: UInt32 = 0
    /// Where the device's first waiting delivery stands in the schedule; nil when none waits.
    public var scheduled: Scheduled?
    /// Whether the carrier has ever accepted a notification for this token; until then the device is on probation.
    public var isAccepted = false
    /// When the carrier first refused the token, or a notification in a way that makes the token doubtful, milliseconds
    /// since 1970; nil before that, and for an accepted token.
    public var unacceptedSince: UInt64?
    /// How many deliveries wait, the scheduled one among them; 0 exactly when none is scheduled.
    public var waiting: UInt32 = 0
    /// No delivery but the scheduled one has a smaller number; 0 when none is scheduled.
    ///
    /// Dropped deliveries leave tombstones behind the scheduled one, and nobody has to read past them.
    var firstKept: UInt64 = 0

    /// After this time without one acceptance, a refusal ends the registration; milliseconds: a week.
    public static let probationAge: UInt64 = 7 * 86_400_000

    /// A place in the schedule, without the device that it is of.
    public struct Scheduled: Equatable, Sendable {
        /// The number of the delivery that stands there.
        public var seq: UInt64
        /// When it is its turn, milliseconds since 1970.
        public var due: UInt64
        /// Which of the lanes it stands in.
        public var lane: ScheduleKey.Lane
        /// Whose lane it is.
        public var carrier = CarrierName.apns

        func key(of device: DeviceID) -> ScheduleKey {
            ScheduleKey(carrier: carrier, lane: lane, due: due, device: device, seq: seq)
        }
    }

    /// A device that was never told anything.
    public init() {}

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        writer.write(lastSeq)
        writer.write(strikes)
        writer.write(optional: scheduled) {
            $0.write($1.seq)
            $0.write($1.due)
            $0.write(ScheduleKey.byte($1.carrier, $1.lane))
        }
        switch (isAccepted, unacceptedSince) {
        case (true, _): writer.write(UInt8(0))
        case (false, nil): writer.write(UInt8(1))
        case (false, let since?):
            writer.write(UInt8(2))
            writer.write(since)
        }
        if scheduled != nil {
            writer.write(waiting)
            writer.write(firstKept)
        }
        return writer.bytes
    }

    /// Whether a row says that something waits; false for a damaged one, too.
    static func isWaiting(_ encoded: [UInt8]) -> Bool {
        // Behind the number and the strikes, as below.
        encoded.count > 12 && encoded[12] == 1
    }

    /// The number of the delivery that a row says waits, if it is the only one; nil for a damaged one, too.
    static func only(_ encoded: [UInt8]) -> UInt64? {
        // Its number is the first of the place, and how many wait stands before the last number.
        guard isWaiting(encoded), encoded.count >= 33,
            encoded[(encoded.count - 12)...].prefix(4).elementsEqual([0, 0, 0, 1])
        else { return nil }
        return encoded[13..<21].reduce(0) { $0 << 8 | UInt64($1) }
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        try self.init(versionThree: &reader)
        switch try reader.readUInt8() {
        case 0: isAccepted = true
        case 1: break
        case 2: unacceptedSince = try reader.readUInt64()
        default: throw ByteReader.corrupt("probation")
        }
        if scheduled != nil {
            waiting = try reader.readUInt32()
            firstKept = try reader.readUInt64()
        }
        try reader.finish()
    }

    /// Reads what rows of schema version 3 and before hold, with which the present ones begin.
    init(versionThree reader: inout ByteReader) throws(StoreError) {
        lastSeq = try reader.readUInt64()
        strikes = try reader.readUInt32()
        scheduled = try reader.readOptional { (reader) throws(StoreError) in
            let seq = try reader.readUInt64()
            let due = try reader.readUInt64()
            let (carrier, lane) = try ScheduleKey.readLane(&reader)
            return Scheduled(seq: seq, due: due, lane: lane, carrier: carrier)
        }
    }
}

extension DeviceState {
    /// Puts a delivery first that none waited before, or that follows the one that has left.
    ///
    /// `rest` is how many wait behind it, each with a greater number.
    mutating func begin(_ place: Scheduled, rest: UInt32) {
        scheduled = place
        waiting = rest + 1
        firstKept = place.seq + 1
    }

    /// The number of the delivery that waits, if it is the only one.
    var only: UInt64? { waiting == 1 ? scheduled?.seq : nil }

    /// Whether all else is the same when the only delivery that waits has ended.
    func isKept(after end: DeviceState) -> Bool {
        var ended = self
        ended.end()
        return only != nil && ended == end
    }

    /// Nothing waits any more.
    mutating func end() {
        scheduled = nil
        waiting = 0
        firstKept = 0
    }

    /// The lane that a device's deliveries stand in whose token its carrier has accepted, else that of all others.
    func lane(_ accepted: ScheduleKey.Lane) -> ScheduleKey.Lane {
        guard isAccepted else { return .probation }
        // A delivery that waited on probation is as urgent as any other.
        return accepted == .probation ? .ordinary : accepted
    }

    /// How many deliveries may wait: of a token neither accepted nor refused some more than of one that was refused.
    public func capacity(_ limits: StoreLimits) -> UInt32 {
        if isAccepted { return limits.queuedPerDevice }
        return unacceptedSince == nil ? limits.queuedBeforeAnswer : limits.queuedOnProbation
    }

    /// Takes over what an answer says about the token; returns whether it ends the registration.
    ///
    /// What depends on when the device registered is the caller's to judge: `.gone` changes nothing here.
    mutating func take(_ effect: Settlement.DeviceEffect, now: UInt64) -> Bool {
        switch effect {
        case .none, .gone: return false
        case .alive, .aliveAt:
            strikes = 0
            isAccepted = true
            unacceptedSince = nil
            return false
        case .strike(let limit, let mayRemove):
            // The guard is for tokens that once worked; while it forbids removal, their strikes stand still.
            guard mayRemove || !isAccepted else { return false }
            strikes = strikes < .max ? strikes + 1 : .max
            let isOverdue = noteUnaccepted(now: now)
            return strikes >= limit || isOverdue
        case .unaccepted: return noteUnaccepted(now: now)
        }
    }

    /// Whether the token has been on probation for too long.
    private mutating func noteUnaccepted(now: UInt64) -> Bool {
        guard !isAccepted else { return false }
        let since = unacceptedSince ?? now
        unacceptedSince = since
        return now >= since && now - since >= DeviceState.probationAge
    }
}
