import Kaspa
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("Changes that the server refuses", .timeLimit(.minutes(5)))
struct RefusedChangeTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    /// Has the server refuse one row of `transfers`.
    private func refuse(_ key: UInt8, _ state: String) throws {
        try bench.run(
            """
            create function refuse() returns trigger language plpgsql as $$
            begin
              raise exception 'refused by the test' using errcode = '\(state)';
            end $$;
            create trigger refuse before insert or update on transfers for each row
              when (new.key = '\\x\(Hex.encode([key]))') execute function refuse()
            """)
    }

    private func put(_ key: UInt8, in store: Store) async throws(StoreError) {
        try await store.write(.growth) { (transaction) throws(StoreError) in
            transaction.put(.transfers, [key], [key])
            try transaction.adjust(.eventsCreated, by: 1)
        }
    }

    @Test("One that it refuses fails alone: those that waited with it succeed, and once")
    func poison() async throws {
        let store = try bench.open()
        try refuse(4, "23514")
        let answers = try await store.together(11) { number in
            await StoreBench.failure { () throws(StoreError) in try await put(UInt8(number), in: store) }
        }
        for (number, answer) in answers.enumerated() {
            let failure = try answer.get()
            #expect(failure?.code == (number == 4 ? .engine : nil))
            #expect(failure?.message.contains("refused by the test") ?? true)
            let row = try store.database.get(.transfers, [UInt8(number)])
            #expect(row == (number == 4 ? nil : [UInt8(number)]))
        }
        #expect(try store.database.value(of: .eventsCreated) == 10)
        #expect(store.trouble == nil)
    }

    @Test("A full disk is said to be one, refuses registrations meanwhile, and passes")
    func lowSpace() async throws {
        let store = try bench.open()
        try refuse(4, "53100")
        let failure = await StoreBench.failure { () throws(StoreError) in try await put(4, in: store) }
        #expect(failure?.code == .lowSpace)
        #expect(store.trouble?.code == .lowSpace && store.registrationTrouble?.code == .lowSpace)
        try bench.run("drop trigger refuse on transfers")
        try await put(4, in: store)
        #expect(store.trouble == nil)
        #expect(try store.database.get(.transfers, [4]) == [4])
        #expect(try store.database.value(of: .eventsCreated) == 1)
    }

    @Test("A full disk is looked at again after a while, though nobody writes")
    func spaceCheck() async throws {
        let store = try bench.open(times: ServerTimes(spaceCheck: .milliseconds(50)))
        try refuse(4, "53100")
        let failure = await StoreBench.failure { () throws(StoreError) in try await put(4, in: store) }
        #expect(failure?.code == .lowSpace)
        try await StoreBench.wait("changes are let through again") { store.trouble == nil }
    }
}
