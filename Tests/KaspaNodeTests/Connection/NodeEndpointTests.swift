import Kaspa
import KaspaNode
import Testing

@Suite struct NodeEndpointTests {
    @Test(
        "A URL names host, port and TLS",
        arguments: [
            ("http://127.0.0.1:16110", .ipv4("127.0.0.1"), 16110, false),
            ("grpc://node:1", .name("node"), 1, false),
            ("https://node.example.org:65535", .name("node.example.org"), 65535, true),
            ("HTTP://node/", .name("node"), 16110, false),
            ("http://[::1]:5", .ipv6("::1"), 5, false),
            ("http://[fe80::1]", .ipv6("fe80::1"), 16110, false),
            ("http://1.2.3", .name("1.2.3"), 16110, false),
        ] as [(String, NodeEndpoint.Host, Int, Bool)])
    func accepted(url: String, host: NodeEndpoint.Host, port: Int, usesTLS: Bool) throws {
        let endpoint = try #require(NodeEndpoint(url, network: .mainnet))
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.usesTLS == usesTLS)
    }

    @Test(
        "What is no node's URL is refused",
        arguments: [
            "", "node", "node:16110", "ftp://node", "http://", "http://:1", "http://node:", "http://node:0",
            "http://node:65536",
            "http://node:-1", "http://node:1:2", "http://node:x", "http://no de", "http://user@node",
            "http://node/path",
            "http://[::1", "http://[::1]x", "http://[node]:1", "http://[]:1", "http://\u{130}node", "://node",
            "http//node",
            "http://node:+1",
        ])
    func refused(url: String) {
        #expect(NodeEndpoint(url, network: .mainnet) == nil)
    }

    @Test(
        "The default port is the network's",
        arguments: [(.mainnet, 16110), (.testnet(10), 16210), (.simnet, 16510), (.devnet, 16610)] as [(Network, Int)])
    func defaultPort(network: Network, port: Int) {
        #expect(NodeEndpoint("http://node", network: network)?.port == port)
    }
}
