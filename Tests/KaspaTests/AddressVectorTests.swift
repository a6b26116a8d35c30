import Kaspa
import Testing

@Suite("Address vectors")
struct AddressVectorTests {
    @Test("the file has the good and the bad addresses that were given")
    func counts() throws {
        let vectors = try AddressVectors.load()
        #expect(vectors.valid.count == 49)
        #expect(vectors.invalid.count == 16)
    }

    @Test(
        "a good address is read, written, stored and mapped to its script and back",
        arguments: try AddressVectors.load().valid)
    func roundTrip(vector: AddressVectors.Valid) throws {
        let network = try #require(Network(vector.network))
        let payload = try #require(Hex.decode(vector.payload))
        let version = try #require(Address.Version(rawValue: vector.version))

        let address = try Address.parse(vector.address, on: network)
        #expect(address.prefix == network.addressPrefix)
        #expect(address.version == version)
        #expect(address.payload == payload)
        #expect(address.description == vector.address)
        #expect(Address(prefix: network.addressPrefix, version: version, payload: payload) == address)
        #expect(address.storageKey == [vector.version] + payload)
        #expect(Address(storageKey: address.storageKey, network: network) == address)

        let script = Script(paying: address)
        #expect(Hex.encode(script.bytes) == vector.script)
        #expect(script.version == 0)
        #expect(script.address(on: network) == address)
    }

    @Test("a good address in upper case is the same address", arguments: try AddressVectors.load().valid)
    func upperCase(vector: AddressVectors.Valid) throws {
        #expect(try Address(parsing: vector.address.uppercased()) == Address(parsing: vector.address))
    }

    @Test("a bad address is refused", arguments: try AddressVectors.load().invalid)
    func refused(vector: AddressVectors.Invalid) {
        #expect(throws: AddressError.self) { try Address(parsing: vector.address) }
    }
}
