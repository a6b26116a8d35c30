import HTTP2Client
import TestCertificates
import Testing

@Suite("Frames over the wire", .timeLimit(.minutes(5)))
struct FrameTests {
    @Test("a request arrives whole: fields, body and nothing else")
    func request() async throws {
        try await Caller.run { caller in
            try await caller.prove()
            caller.submit(1, bytes: 3_000)
            try await caller.untilAllEnded()
            let counts = caller.server.counts
            #expect(counts.whole == 2 && counts.bodyBytes == 3_100)
            #expect(counts.checksum == (Caller.body(100) + Caller.body(3_000)).reduce(0) { $0 + Int($1) })
            #expect(
                caller.server.headers.last == [
                    ":method": "POST", ":scheme": "https", ":authority": "localhost:\(caller.server.port)",
                    ":path": "/3/device/1", "authorization": "bearer eyJ", "apns-topic": "org.example.messenger",
                    "apns-id": "id-1", "content-length": "3000",
                ])
        }
    }

    @Test("a request wakes an idle connection at once")
    func wakes() async throws {
        try await Caller.run { caller in
            for _ in 0..<20 {
                caller.submit(1)
                try await caller.untilAllEnded()
            }
            #expect(caller.server.counts.connections == 1 && caller.server.counts.pings == 0)
        }
    }

    @Test(
        "nothing is sent before the server's SETTINGS, and never more at a time than they allow, also when they change")
    func settings() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in if number == 0 { peer.answer(stream) } }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(10)
            try await caller.until { caller.server.counts.whole == 11 }
            caller.server.perform { peer in
                peer.settings([(3, 1)])
                for stream in stride(from: UInt32(3), through: 21, by: 2) { peer.answer(stream) }
            }
            try await caller.untilAllEnded()
            caller.submit(3)
            for stream in [UInt32(23), 25] {
                try await caller.until { caller.server.counts.open == 1 }
                caller.server.perform { $0.answer(stream) }
                try await caller.until { caller.endings.count { $0 != nil } == 11 + Int(stream - 21) / 2 }
            }
            try await caller.until { caller.server.counts.open == 1 }
            caller.submit(50)
            caller.server.perform { peer in
                peer.settings([(3, 20)])
                peer.answer(27)
            }
            try await caller.until { caller.server.counts.open == 20 }
            caller.server.perform { peer in
                for stream in stride(from: UInt32(29), through: 67, by: 2) { peer.answer(stream) }
            }
            try await caller.until { caller.server.counts.open == 20 }
            #expect(caller.server.counts.mostOpen == 20 && caller.server.counts.connections == 1)
        }
    }

    @Test("a server that says nothing of HTTP/2 costs the connect timeout, for all who waited")
    func noSettings() async throws {
        var script = FrameServer.Script()
        (script.sendsSettings, script.acknowledgesSettings) = (false, false)
        try await Caller.run(script, settings: { $0.connectTimeout = .seconds(2) }) { caller in
            caller.submit(3)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(.timeout): 3] && caller.server.counts.whole == 0)
        }
    }

    @Test("a server that begins with anything but SETTINGS does not speak HTTP/2")
    func noFirstSettings() async throws {
        var script = FrameServer.Script()
        script.sendsSettings = false
        try await Caller.run(script) { caller in
            caller.submit(3)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(.notHTTP2): 3] && caller.server.counts.whole == 0)
        }
    }

    @Test("a server that does not choose HTTP/2 gets nothing", arguments: [nil, "http/1.1"])
    func notHTTP2(alpn: String?) async throws {
        var script = FrameServer.Script()
        script.alpn = alpn
        try await Caller.run(script) { caller in
            caller.submit(2)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(alpn == nil ? .notHTTP2 : .tls(code: 35)): 2])
            #expect(caller.server.counts.whole == 0)
        }
    }

    @Test("a certificate for another name, or of nobody known, is not trusted")
    func certificate() async throws {
        let certificate = try TestCertificate("other", hosts: ["elsewhere.example"])
        try await Caller.run(certificate: certificate) { caller in
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(.tls(code: 60)): 1])
        }
        try await Caller.run(settings: { $0.certificateAuthorityPath = nil }) { caller in
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.failed(.tls(code: 60)): 1])
        }
    }

    @Test("a server's table of header fields may be of any size, and may change", arguments: [0, 64, 4_096, 65_536])
    func headerTable(bytes: Int) async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            // The decoder of the server keeps its 4,096: a smaller table is the encoder's to announce.
            if number == 1 { peer.settings([(1, UInt32(min(bytes, 4_096)))]) }
            peer.answer(stream)
        }
        try await Caller.run(script) { caller in
            for _ in 0..<6 {
                caller.submit(1)
                try await caller.untilAllEnded()
            }
            #expect(caller.counts == [.answered(200): 6])
            #expect(Set(caller.server.headers.map { $0["authorization"] }) == ["bearer eyJ"])
            #expect(caller.server.headers.map { $0[":path"] } == (0..<6).map { "/3/device/\($0)" })
        }
    }

    @Test("bodies wait for the server's window, and go on when it opens")
    func window() async throws {
        var script = FrameServer.Script()
        script.window = 10
        try await Caller.run(script) { caller in
            caller.submit(1, bytes: 10)
            try await caller.untilAllEnded()
            caller.submit(2, bytes: 1_000)
            try await caller.until { caller.server.counts.bodyBytes == 30 }
            #expect(caller.endings.suffix(2) == [nil, nil])
            caller.server.perform { peer in
                peer.openWindow(of: 3, by: 990)
                peer.openWindow(of: 5, by: 990)
            }
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 3] && caller.server.counts.bodyBytes == 2_010)
        }
    }

    @Test("a slow reader gets every byte, and slows the sender down")
    func slowReader() async throws {
        var script = FrameServer.Script()
        (script.bytesPerSecond, script.receiveBuffer, script.streams) = (4_000_000, 16_384, 1_000)
        try await Caller.run(script, streams: 1_000) { caller in
            try await caller.prove()
            caller.submit(4_000, bytes: 1_000)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 4_001] && caller.server.counts.connections == 1)
            let each = Caller.body(1_000).reduce(0) { $0 + Int($1) }
            #expect(caller.server.counts.checksum == Caller.body(100).reduce(each * 4_000) { $0 + Int($1) })
        }
    }

    @Test("a change of keys under way goes unnoticed")
    func keyUpdate() async throws {
        try await Caller.run { caller in
            try await caller.prove()
            for _ in 0..<3 {
                caller.server.perform { $0.updateKey() }
                caller.submit(2)
                try await caller.untilAllEnded()
            }
            #expect(caller.counts == [.answered(200): 7] && caller.server.counts.connections == 1)
        }
    }
}
