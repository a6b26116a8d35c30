import KasiaPushCore
import Testing

@testable import KasiaPushStore

@Suite struct ContactBookTests {
    static let full = Contact(address: "kaspa:qa", name: "Ann", isMuted: true, sharedKeyReference: "keychain:1")
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a contact is found by its address in any case, by both ways of asking`() async throws {
        let book = try await folder.store().contacts
        try await book.save(Self.full)
        try await book.save(Contact(address: "KASPA:QB"))
        #expect(try await book.contact("KASPA:QA") == Self.full)
        #expect(try await book.contact("kaspa:qb") == Contact(address: "kaspa:qb"))
        #expect(try await book.contact("kaspa:qc") == nil)
        let lookup: any ContactLookup = book
        #expect(try lookup.contact("Kaspa:qa") == Self.full)
        #expect(try lookup.contact("kaspa:qc") == nil)
    }

    @Test func `saving again replaces`() async throws {
        let book = try await folder.store().contacts
        try await book.save(Self.full)
        try await book.save(Contact(address: "kaspa:qa", name: ""))
        #expect(try await book.contact("kaspa:qa") == Contact(address: "kaspa:qa", name: ""))
        #expect(try await book.contacts().count == 1)
    }

    @Test func `muting changes nothing else`() async throws {
        let book = try await folder.store().contacts
        try await book.save(Self.full)
        #expect(try await book.setMuted(false, "kaspa:QA"))
        var expected = Self.full
        expected.isMuted = false
        #expect(try await book.contact("kaspa:qa") == expected)
        #expect(try await !book.setMuted(true, "kaspa:qb"))
        #expect(try await book.contact("kaspa:qb") == nil)
    }

    @Test func `a removed contact is a stranger`() async throws {
        let book = try await folder.store().contacts
        try await book.save(Self.full)
        try await book.remove("KASPA:qa")
        try await book.remove("kaspa:qa")
        #expect(try await book.contact("kaspa:qa") == nil)
    }

    @Test func `replacing the book is one change`() async throws {
        let book = try await folder.store().contacts
        try await book.save(Self.full)
        let bad = Contact(address: "kaspa:qc", name: String(repeating: "n", count: 1_025))
        let error = await #expect(throws: StoreError.self) {
            try await book.replaceAll([Contact(address: "kaspa:qb"), bad])
        }
        #expect(error?.code == .invalidValue)
        #expect(try await book.contacts() == [Self.full])
        try await book.replaceAll([Contact(address: "kaspa:qb")])
        #expect(try await book.contacts() == [Contact(address: "kaspa:qb")])
    }

    @Test(arguments: [99, 100, 101]) func `pages have at most 100, in the order of addresses`(count: Int) async throws {
        let book = try await folder.store().contacts
        try await book.save((0..<count).reversed().map { Contact(address: "kaspa:\(1_000 + $0)") })
        let first = try await book.contacts(limit: .max)
        #expect(first.map(\.address) == (0..<min(count, 100)).map { "kaspa:\(1_000 + $0)" })
        #expect(try await book.contacts(after: first.last?.address).count == max(0, count - 100))
        #expect(try await book.contacts(limit: 0).count == 1)
    }

    @Test(arguments: [(1_023, true), (1_024, true), (1_025, false)]) func `texts have bounds`(bytes: Int, isTaken: Bool)
        async throws
    {
        let book = try await folder.store().contacts
        let text = String(repeating: "x", count: bytes)
        for contact in [
            Contact(address: "kaspa:qa", name: text), Contact(address: "kaspa:qb", sharedKeyReference: text),
        ] {
            if isTaken {
                try await book.save(contact)
            } else {
                let error = await #expect(throws: StoreError.self) { try await book.save(contact) }
                #expect(error?.code == .invalidValue)
            }
        }
        #expect(try await book.contacts().count == (isTaken ? 2 : 0))
    }

    @Test func `the other process sees a change at once`() async throws {
        let app = try await folder.store()
        let notificationExtension: any ContactLookup = try await folder.store().contacts
        #expect(try notificationExtension.contact("kaspa:qa") == nil)
        try await app.contacts.save(Self.full)
        #expect(try notificationExtension.contact("kaspa:qa") == Self.full)
    }
}
