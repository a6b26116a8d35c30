import HTTP2Client
import RecordedLogs
import Synchronization
import Testing

@Suite("Lost connections over the wire", .timeLimit(.minutes(5)))
struct LossTests {
    @Test("GOAWAY: what is above its last stream was not processed, the rest is answered")
    func goAway() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            if number == 0 { peer.answer(stream) }
            guard number == 10 else { return }
            for stream in [UInt32(3), 5, 7] { peer.answer(stream) }
            peer.goAway(last: 13)
        }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(10)
            try await caller.until { caller.endings.count { $0 == .failed(.goAwayUnprocessed) } == 4 }
            #expect(
                caller.endings[7...] == [
                    .failed(.goAwayUnprocessed), .failed(.goAwayUnprocessed), .failed(.goAwayUnprocessed),
                    .failed(.goAwayUnprocessed),
                ])
            #expect(caller.endings[4...6] == [nil, nil, nil])
            caller.server.perform { peer in for stream in [UInt32(9), 11, 13] { peer.answer(stream) } }
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 7, .failed(.goAwayUnprocessed): 4])
        }
    }

    @Test("what may not begin is handed back unsent, and the connection stays for what may")
    func mayNotBegin() async throws {
        let requests = Mutex(0)
        let mayBegin = Mutex(true)
        var script = FrameServer.Script()
        script.whole = { peer, stream, _ in
            requests.withLock { $0 += 1 }
            peer.answer(stream)
        }
        try await Caller.run(script, settings: { $0.mayBegin = { mayBegin.withLock { $0 } } }) { caller in
            try await caller.prove()
            mayBegin.withLock { $0 = false }
            caller.submit(3)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 1, .handedBack: 3])
            mayBegin.withLock { $0 = true }
            caller.submit(2)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 3, .handedBack: 3])
            #expect(requests.withLock { $0 } == 3)
            #expect(caller.logs.events.count { "\($0.message)".hasSuffix("connection opened") } == 1)
        }
    }

    @Test("a GOAWAY in two steps ends nothing before the second")
    func twoSteps() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            if number == 0 { peer.answer(stream) }
            if number == 4 { peer.goAway(last: 0x7fff_ffff) }
        }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(4)
            try await caller.until {
                caller.logs.events.contains { "\($0.message)".hasSuffix("being closed by the server") }
            }
            #expect(caller.endings.suffix(4) == [nil, nil, nil, nil])
            caller.server.perform { peer in
                peer.goAway(last: 7)
                for stream in [UInt32(3), 5, 7] { peer.answer(stream) }
            }
            try await caller.untilAllEnded()
            #expect(
                caller.endings.suffix(4) == [
                    .answered(200), .answered(200), .answered(200), .failed(.goAwayUnprocessed),
                ])
        }
    }

    @Test("GOAWAY, then the end: what may have been processed is told from what was not")
    func goAwayAndEnd() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            if number == 0 { peer.answer(stream) }
            guard number == 5 else { return }
            peer.goAway(last: 7, code: 2)
            peer.lose(by: .fin)
        }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(5)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 1, .failed(.reset): 3, .failed(.goAwayUnprocessed): 2])
        }
    }

    @Test("a lost connection: answered, cut short and lost are told apart", arguments: Peer.Loss.allCases)
    func loss(_ loss: Peer.Loss) async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            if number < 2 { peer.answer(stream) }
            if number == 2 { peer.beginAnswer(stream, block: [0x88]) }
            // So that a reset, which may discard what is unread, comes after the answers.
        }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(3)
            try await caller.until { caller.server.counts.whole == 4 && caller.endings[1] != nil }
            caller.server.perform { $0.lose(by: loss) }
            try await caller.untilAllEnded()
            #expect(caller.endings == [.answered(200), .answered(200), .cutShort(200), .failed(.reset)])
            caller.submit(1)
            try await caller.until { caller.server.counts.connections == 2 && caller.server.counts.whole == 5 }
        }
    }

    @Test("an idle connection is asked by PING whether it lives, and stays")
    func pings() async throws {
        try await Caller.run(settings: { $0.pingWhenIdle = .milliseconds(20) }) { caller in
            try await caller.prove()
            try await caller.until { caller.server.counts.pings >= 3 }
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.server.counts.connections == 1)
        }
    }

    @Test("an idle connection whose PING is not answered is replaced before anything is sent on it")
    func deadIdle() async throws {
        var script = FrameServer.Script()
        script.answersPings = false
        try await Caller.run(
            script, settings: { ($0.pingWhenIdle, $0.pingTimeout) = (.milliseconds(20), .seconds(1)) }
        ) { caller in
            try await caller.prove()
            try await caller.until { caller.logs.events.contains { $0.message == "Test connection lost" } }
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 2] && caller.server.counts.connections == 2)
        }
    }

    @Test("requests on a connection that is silent to PING, too, time out with it")
    func deadWaiting() async throws {
        var script = FrameServer.Script()
        script.answersPings = false
        script.whole = { peer, stream, number in if number == 0 { peer.answer(stream) } }
        try await Caller.run(
            script, settings: { ($0.pingWhenWaiting, $0.pingTimeout) = (.milliseconds(50), .milliseconds(500)) }
        ) { caller in
            try await caller.prove()
            caller.submit(3)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 1, .failed(.timeout): 3])
            #expect(caller.server.counts.pings >= 1)
        }
    }

    @Test("bytes that are not HTTP/2 end the connection")
    func garbage() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            if number == 0 { peer.answer(stream) } else { peer.frame(1, flags: 5, stream: 2, payload: [0x88]) }
        }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.endings.last == .failed(.reset))
        }
    }

    @Test("a connection that is retired says GOAWAY")
    func goodbye() async throws {
        try await Caller.run { caller in
            try await caller.prove()
            caller.pool.replaceAll()
            try await caller.until { caller.server.counts.goAways == 1 }
            caller.submit(1)
            try await caller.untilAllEnded()
            #expect(caller.server.counts.connections == 2)
        }
    }

    @Test("what has not been sent in time is handed back")
    func sendBy() async throws {
        var script = FrameServer.Script()
        script.whole = { _, _, _ in }
        try await Caller.run(script) { caller in
            caller.submit(1)
            caller.submit(3, sendBy: .milliseconds(300))
            try await caller.until { caller.endings.suffix(3) == [.handedBack, .handedBack, .handedBack] }
            #expect(caller.server.counts.mostOpen == 1)
        }
    }
}
