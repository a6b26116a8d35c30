import Foundation
import KasiaPushCore
import Testing

@Suite("Contacts")
struct ContactTests {
    @Test("are stored and read back")
    func coding() throws {
        let contacts = [
            Contact(address: Pushes.sender),
            Contact(address: Pushes.other, name: "Bob", isMuted: true, sharedKeyReference: "key-1"),
        ]
        let data = try JSONEncoder().encode(contacts)
        #expect(try JSONDecoder().decode([Contact].self, from: data) == contacts)
    }
}
