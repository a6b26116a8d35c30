import Foundation
import Kaspa

/// The apps of the day: they read, come and go, and hold streams.
///
/// One thread, one step after the other.
final class DayTraffic {
    private(set) var guests = GuestBook()
    private(set) var reads = 0
    private(set) var moves = 0
    /// Answers that were not what was asked for.
    private(set) var failures = 0
    private(set) var streams: [(steady: DayStream, broken: DayStream)]

    private let cast: DayCast
    private let plan: DayPlan
    private let http: LocalHTTP
    private var random = SplitMix64(seed: 20)
    private var presentGuests: Set<Int> = []
    private let start = ContinuousClock.now
    private var breaks = 0

    init(_ cast: DayCast, plan: DayPlan, operations: [DayOperation], http: LocalHTTP) throws {
        (self.cast, self.plan, self.http) = (cast, plan, http)
        streams = (0..<plan.streams).map { number in
            let address = cast.people[number].description
            return (DayStream(of: address, port: http.port), DayStream(of: address, port: http.port))
        }
    }

    /// What is due by now, one request of each kind at most.
    func step() throws {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for pair in streams {
            pair.steady.read()
            pair.broken.read()
        }
        // Four times a simulated hour.
        let dueBreaks = Int(seconds / (plan.hour / .seconds(1)) * 4)
        if breaks < dueBreaks, !streams.isEmpty {
            streams[breaks % streams.count].broken.breakOff()
            breaks += 1
        }
        if Double(reads) < seconds * plan.reads { readSomething() }
        if Double(moves) < seconds * plan.moves { try moveSomebody() }
    }

    /// Ends the streams' breaks and takes in what is still to come; how many items a broken stream lacks.
    func settle(within limit: Duration) async throws -> Int {
        let end = ContinuousClock.now + limit
        while true {
            for pair in streams {
                pair.steady.read()
                pair.broken.read()
            }
            let missing = streams.reduce(0) { $0 + $1.steady.items.subtracting($1.broken.items).count }
            if missing == 0 || ContinuousClock.now > end { return missing }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func readSomething() {
        reads += 1
        guard let person = cast.people.randomElement(using: &random),
            let device = cast.residents.randomElement(using: &random)
        else { return }
        let paths = [
            "/contextual-messages/by-sender?address=\(person)&limit=50", "/payments/by-receiver?address=\(person)",
            "/handshakes/by-receiver?address=\(person)", "/v1/activity?address=\(person)",
            "/v1/push/missed?device_token=\(device.token)&after=0", "/v1/push/status?device_token=\(device.token)",
            "/self-stash/by-owner?owner=\(person)", "/ready",
        ]
        let path = paths[reads % paths.count]
        // A node that has just hung up is a reason not to be ready.
        guard let status = http.send("GET", path)?.status, status == 200 || (path == "/ready" && status == 503) else {
            failures += 1
            return
        }
    }

    private func moveSomebody() throws {
        moves += 1
        // One in ten is a device that is gone, and whose app does not know.
        if moves.isMultiple(of: 10), let device = cast.gone.randomElement(using: &random) {
            if try !device.register(http) { failures += 1 }
            return
        }
        let number = Int.random(in: 0..<cast.guests.count, using: &random)
        let guest = cast.guests[number]
        if presentGuests.remove(number) != nil {
            if try guest.unregister(http) { guests.left(guest.token) } else { failures += 1 }
        } else {
            guests.returns(guest.token)
            if try guest.register(http) { presentGuests.insert(number) } else { failures += 1 }
        }
    }
}
