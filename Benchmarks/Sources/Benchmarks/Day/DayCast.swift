import Foundation
import Kaspa

/// Who lives through the day: devices, each with one of the wallets that write.
struct DayCast {
    let residents: [DayDevice]
    let gone: [DayDevice]
    let guests: [DayDevice]
    /// The wallets that wrote something.
    let people: [Address]

    init(_ operations: [DayOperation], plan: DayPlan) throws {
        let people = Set(operations.map(\.sender)).sorted { $0.description < $1.description }
        guard people.count > plan.residents + DayPlan.contacts else {
            throw BenchmarkError("Only \(people.count) wallets write something.")
        }
        self.people = people
        func devices(_ name: String, _ count: Int) throws -> [DayDevice] {
            try (0..<count).map { number in
                let contacts = (1...DayPlan.contacts).map { people[(number + $0 * 7) % people.count] }
                return try DayDevice("\(name) \(number)", own: people[number % people.count], contacts: contacts)
            }
        }
        residents = try devices("resident", plan.residents)
        gone = try devices("gone", plan.gone)
        guests = try devices("guest", plan.guests)
    }
}
