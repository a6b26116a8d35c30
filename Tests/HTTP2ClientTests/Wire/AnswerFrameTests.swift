import HTTP2Client
import Testing

@Suite("Answers over the wire", .timeLimit(.minutes(5)))
struct AnswerFrameTests {
    @Test("a reset concerns its stream alone; what came before it is not lost")
    func resets() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            switch number {
            case 1: peer.reset(stream, code: 7)
            case 2: peer.reset(stream, code: 2)
            case 3:
                peer.beginAnswer(stream, block: [0x8c])
                peer.reset(stream, code: 2)
            case 4:
                peer.answer(stream)
                peer.reset(stream, code: 0)
            case 5: peer.reset(stream, code: 11)
            default: peer.answer(stream)
            }
        }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(6)
            try await caller.untilAllEnded()
            #expect(
                caller.endings.dropFirst() == [
                    .failed(.goAwayUnprocessed), .failed(.reset), .cutShort(400), .answered(200), .failed(.reset),
                    .answered(200),
                ])
            #expect(caller.server.counts.connections == 1)
        }
    }

    @Test("what is submitted together is sent and answered, and so is what others submit meanwhile")
    func together() async throws {
        try await Caller.run { caller in
            try await caller.prove()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 {
                            caller.pool.together {
                                caller.submit(1)
                                caller.pool.together { caller.submit(2) }
                            }
                            caller.submit(1)
                        }
                    }
                }
            }
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 801])
            #expect(caller.server.counts.connections == 1)
        }
    }

    @Test("a refused stream costs that stream and no connection")
    func refusals() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            if number > 0, number.isMultiple(of: 20) { peer.reset(stream, code: 7) } else { peer.answer(stream) }
        }
        try await Caller.run(script) { caller in
            try await caller.prove()
            caller.submit(2_000)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 1_901, .failed(.goAwayUnprocessed): 100])
            #expect(caller.server.counts.connections == 1)
        }
    }

    @Test("what is not answered in time is given up and reset; the connection goes on")
    func silence() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in if number % 2 == 0 { peer.answer(stream) } }
        try await Caller.run(script, settings: { $0.firstByteTimeout = .seconds(2) }) { caller in
            try await caller.prove()
            caller.submit(4)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 3, .failed(.timeout): 2])
            try await caller.until { caller.server.counts.resets == 2 }
            #expect(caller.server.counts.lastResetCode == 8 && caller.server.counts.connections == 1)
            // The sixth request of the server.
            caller.submit(2)
            try await caller.until { caller.endings.contains(nil) == false }
            #expect(caller.server.counts.connections == 1)
        }
    }

    @Test("an answer before the request's end is taken, and the rest of the request is not sent")
    func early() async throws {
        var script = FrameServer.Script()
        script.window = 50
        try await Caller.run(script) { caller in
            caller.submit(1, bytes: 50)
            try await caller.untilAllEnded()
            caller.submit(1, bytes: 1_000)
            try await caller.until { caller.server.counts.bodyBytes == 100 }
            caller.server.perform { $0.answer(3, block: [0x8d]) }
            try await caller.untilAllEnded()
            #expect(caller.endings.last == .answered(404))
            try await caller.until { caller.server.counts.resets == 1 }
            #expect(caller.server.counts.bodyBytes == 100 && caller.server.counts.connections == 1)
        }
    }

    @Test("an interim answer is not the answer")
    func interim() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, _ in
            // `:status: 103`: the name of entry 8, and a literal.
            peer.beginAnswer(stream, block: [0x08, 3] + Array("103".utf8))
            peer.answer(stream)
        }
        try await Caller.run(script) { caller in
            caller.submit(2)
            try await caller.untilAllEnded()
            #expect(caller.counts == [.answered(200): 2])
        }
    }

    @Test("the named fields of an answer are kept, if they are short and printable")
    func fields() async throws {
        var script = FrameServer.Script()
        script.whole = { peer, stream, number in
            func literal(_ name: String, _ value: [UInt8]) -> [UInt8] {
                [0x00, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.count)] + value
            }
            let value: [UInt8] =
                switch number {
                case 0...2: Array(repeating: UInt8(ascii: "v"), count: 63 + number)
                case 3: [0x41, 0x09, 0x42]
                default: []
                }
            peer.answer(
                stream,
                block: [0x88] + literal("apns-id", value) + literal("server", Array("x".utf8))
                    + literal("retry-after", Array("7".utf8)))
        }
        try await Caller.run(script) { caller in
            for _ in 0..<5 {
                caller.submit(1)
                try await caller.untilAllEnded()
            }
            let answers = caller.answers.compactMap { $0 }
            #expect(answers.map { $0["apns-id"]?.count } == [63, 64, nil, nil, nil])
            #expect(answers.allSatisfy { $0["retry-after"] == "7" && $0["server"] == nil })
        }
    }

    @Test("a body is read up to its limit, and ended there", arguments: [-1, 0, 1])
    func longBody(over: Int) async throws {
        let count = HTTPAnswer.maximumBodyBytes + over
        var script = FrameServer.Script()
        script.whole = { peer, stream, _ in
            peer.beginAnswer(stream, block: [0x88])
            let bytes = [UInt8](repeating: 0x78, count: count)
            peer.frame(0, stream: stream, payload: Array(bytes[..<10_000]))
            peer.frame(0, flags: 1, stream: stream, payload: Array(bytes[10_000...]))
        }
        try await Caller.run(script) { caller in
            for _ in 0..<3 {
                caller.submit(1)
                try await caller.untilAllEnded()
            }
            #expect(caller.counts == [.answered(200): 3])
            #expect(caller.answers.allSatisfy { $0?.body.count == (over > 0 ? 10_000 : count) })
            #expect(caller.server.counts.connections == 1)
        }
    }
}
