import HTTP2Client
import TestCertificates
import Testing

@Suite("Address rule over the wire", .timeLimit(.minutes(5)))
struct AddressRuleTests {
    /// Has a name lead to these addresses at the test server's port.
    private static func lead(_ host: String, to addresses: String, _ settings: inout HTTP2Settings) {
        let port = settings.origin.split(separator: ":").last ?? ""
        settings.origin = "https://\(host):\(port)"
        settings.resolve = ["\(host):\(port):\(addresses)"]
    }

    @Test(
        "a name that leads to no public address gets no connection",
        arguments: [
            "127.0.0.1", "10.0.0.1", "169.254.1.1", "192.168.0.1", "100.64.0.1", "0.0.0.0", "[::1]", "[::]",
            "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
            "10.0.0.1,127.0.0.1", "[::1],127.0.0.1",
        ])
    func refused(addresses: String) async throws {
        let change: (inout HTTP2Settings) -> Void = {
            Self.lead("push.example", to: addresses, &$0)
            $0.addresses = .publicOnly
        }
        try await Caller.run(settings: change) { caller in
            caller.submit(3)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(.addressRefused): 3])
            #expect(caller.server.counts.connections == 0)
        }
    }

    @Test(
        "nor does an address in the place of the name, nor the machine's own name",
        arguments: ["127.0.0.1", "localhost"])
    func literal(host: String) async throws {
        let change: (inout HTTP2Settings) -> Void = {
            $0.origin = "https://\(host):\($0.origin.split(separator: ":").last ?? "")"
            $0.addresses = .publicOnly
        }
        try await Caller.run(settings: change) { caller in
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(.addressRefused): 1])
            #expect(caller.server.counts.connections == 0)
        }
    }

    @Test("the address counts that is connected to, not one that the name had before")
    func changing() async throws {
        let certificate = try TestCertificate("server", hosts: ["push.example"])
        // By the operator's word the address is good, and the name leads there.
        let any: (inout HTTP2Settings) -> Void = { Self.lead("push.example", to: "127.0.0.1", &$0) }
        try await Caller.run(certificate: certificate, settings: any) { caller in
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 1] && caller.server.counts.connections == 1)
        }
        // A name that was looked at before, and leads to this machine by the time of the connection.
        let publicOnly: (inout HTTP2Settings) -> Void = {
            any(&$0)
            $0.addresses = .publicOnly
        }
        try await Caller.run(certificate: certificate, settings: publicOnly) { caller in
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(.addressRefused): 1])
            #expect(caller.server.counts.connections == 0)
        }
    }

    @Test("a connection that need not be proved carries many requests from the beginning")
    func unproved() async throws {
        var script = FrameServer.Script()
        script.whole = { _, _, _ in }
        try await Caller.run(script, settings: { $0.provesConnections = false }) { caller in
            caller.submit(10)
            try await caller.until { caller.server.counts.open == 10 }
            caller.server.perform { peer in
                for stream in stride(from: UInt32(1), through: 19, by: 2) { peer.answer(stream, block: [0x8c]) }
            }
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(400): 10] && caller.server.counts.connections == 1)
        }
    }

    @Test("a GET has no body, and is answered like any request")
    func get() async throws {
        try await Caller.run { caller in
            caller.submit(1, method: .get)
            try await caller.untilAllEnded()
            caller.submit(1)
            try await caller.untilAllEnded()
            caller.submit(1, method: .get)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 3] && caller.server.counts.connections == 1)
            #expect(caller.server.counts.bodyBytes == 100)
            let headers = caller.server.headers
            #expect(headers.map { $0[":method"] } == ["GET", "POST", "GET"])
            #expect(headers.map { $0["content-length"] } == [nil, "100", nil])
            #expect(headers.map { $0[":path"] } == ["/3/device/0", "/3/device/1", "/3/device/2"])
        }
    }
}
