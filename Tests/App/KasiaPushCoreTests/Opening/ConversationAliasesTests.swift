import KasiaPushSecp256k1
import Kaspa
import Testing

@testable import KasiaPushCore

@Suite("Aliases and inbox tags")
struct ConversationAliasesTests {
    @Test("are those of the vectors, in both forms")
    func vectors() throws {
        let vectors = try MessageVectors.load().aliases
        #expect(vectors.count == 3)
        for vector in vectors {
            func address(_ key: String) throws -> String {
                try #require(
                    Address(prefix: .kaspa, version: .schnorr, payload: hex(key))
                ).description
            }
            let opener = try #require(
                MessageOpener(
                    address: try address(vector.myKey), secret: hex(vector.mySecret),
                    curve: LibSecp256k1()))
            let other = try address(vector.theirKey)
            #expect(
                opener.aliases(with: other, form: .chat)
                    == ConversationAliases(mine: vector.chat.mine, theirs: vector.chat.theirs))
            #expect(
                opener.aliases(with: other, form: .dmAliasV1)
                    == ConversationAliases(mine: vector.dmAliasV1.mine, theirs: vector.dmAliasV1.theirs))
        }
    }

    @Test("are the other's way round for the other", arguments: ConversationAliases.Form.allCases)
    func symmetry(form: ConversationAliases.Form) throws {
        let (alice, bob) = (Person("alice"), Person("bob"))
        let mine = try #require(alice.opener.aliases(with: bob.address, form: form))
        let theirs = try #require(bob.opener.aliases(with: alice.address.uppercased(), form: form))
        #expect(mine.mine == theirs.theirs && mine.theirs == theirs.mine && mine.mine != mine.theirs)
        #expect(mine.mine.utf8.count == 12)
    }

    @Test("are none where there is no key")
    func noKey() throws {
        let person = Person("alice")
        let script = try #require(Address(prefix: .kaspa, version: .scriptHash, payload: person.key.publicKey))
        // No x coordinate of the curve is that large.
        let noPoint = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: Array(repeating: UInt8.max, count: 32)))
        for address in [script.description, noPoint.description, "", "kaspa:q"] {
            #expect(person.opener.aliases(with: address, form: .chat) == nil)
        }
    }

    @Test("inbox tags are those of the vectors")
    func tags() throws {
        let vectors = try MessageVectors.load().inboxTags
        #expect(vectors.count == 6)
        for vector in vectors {
            #expect(InboxTag.text(of: vector.address) == vector.tag)
            #expect(InboxTag.text(of: vector.address.uppercased()) == vector.tag)
        }
    }

    @Test("only addresses have an inbox tag")
    func addresses() throws {
        let vectors = try AddressVectors.load()
        for vector in vectors.valid { #expect(InboxTag.text(of: vector.address)?.utf8.count == 32) }
        for vector in vectors.invalid { #expect(InboxTag.text(of: vector.address) == nil, "\(vector.why)") }
    }
}
