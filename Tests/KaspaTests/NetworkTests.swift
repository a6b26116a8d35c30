import Kaspa
import Testing

@Suite("Networks")
struct NetworkTests {
    @Test(
        "our spelling and the node's are read",
        arguments: [
            ("mainnet", .mainnet), ("kaspa-mainnet", .mainnet),
            ("testnet", .testnet(10)), ("testnet-10", .testnet(10)), ("kaspa-testnet-10", .testnet(10)),
            ("testnet-11", .testnet(11)), ("kaspa-testnet-11", .testnet(11)), ("kaspa-testnet", .testnet(10)),
            ("testnet-0", .testnet(0)), ("testnet-4294967295", .testnet(.max)),
            ("devnet", .devnet), ("kaspa-devnet", .devnet), ("simnet", .simnet), ("kaspa-simnet", .simnet),
        ] as [(String, Network)])
    func known(text: String, expected: Network) {
        #expect(Network(text) == expected)
    }

    @Test(
        "foreign text is no network",
        arguments: [
            "", "Mainnet", "MAINNET", "main", "mainnet ", "mainnet-1", "kaspa", "kaspa-", "kaspa-kaspa-mainnet",
            "testnet-", "testnet10", "testnet--1", "testnet-+1", "testnet-010", "testnet-4294967296", "testnet-1a",
            "testnet-10 ", "testnet-١", "devnet-1", "bitcoin",
        ])
    func foreign(text: String) {
        #expect(Network(text) == nil)
    }

    @Test(
        "a network's name is read back, and its addresses have its prefix",
        arguments: [
            (.mainnet, "mainnet", .kaspa), (.testnet(10), "testnet-10", .kaspatest),
            (.testnet(11), "testnet-11", .kaspatest), (.devnet, "devnet", .kaspadev), (.simnet, "simnet", .kaspasim),
        ] as [(Network, String, AddressPrefix)])
    func names(network: Network, name: String, prefix: AddressPrefix) {
        #expect(network.description == name)
        #expect(Network(name) == network)
        #expect(network.addressPrefix == prefix)
    }
}
