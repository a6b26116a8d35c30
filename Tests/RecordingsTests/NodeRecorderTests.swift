import Foundation
import Kaspa
import KaspaNode
import ReplaySupport
import Testing

@testable import KaspadReplay
@testable import Recordings

@Suite(.timeLimit(.minutes(5))) struct NodeRecorderTests {
    /// A line of blocks, a reorganisation, and more blocks, with transactions.
    private static func source() -> RecordingScript {
        var script = RecordingScript()
        script.extend(from: 1, count: 4)
        script.tell(20, on: 2, transactions: [RecordingScript.transaction(100, payload: [7, 7])])
        script.tell(21, on: 20)
        script.tell(22, on: 21)
        script.change(removing: 2, adding: [20, 21, 22])
        script.extend(from: 30, count: 30)
        return script
    }

    private static func chain(_ recording: Recording) throws -> ReplayChain {
        var chain = try ReplayChain(recording.header)
        for entry in recording.entries { try chain.apply(entry) }
        return chain
    }

    private static func configuration(_ url: String) -> NodeConfiguration {
        var configuration = NodeConfiguration(urls: [url], network: .mainnet)
        configuration.reconnect.initial = .milliseconds(10)
        return configuration
    }

    @Test(
        "What is recorded from a node is what the node told, step by step and with a disconnect",
        arguments: [false, true])
    func recordsWhatIsTold(disconnects: Bool) async throws {
        let script = Self.source()
        let blockCount = script.recording.entries.count { if case .block = $0.event { true } else { false } }
        try await withTemporaryFile { path in
            try await withReplay(script.recording) { node, url in
                let recorder = NodeRecorder(
                    configuration: Self.configuration(url), path: path, duration: nil, logger: quiet)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await recorder.run() }
                    // The recording begins with the node's first answer; only then is anything told.
                    _ = await recorder.progress.first { !$0.sink.isEmpty }
                    for index in 1...node.entryCount {
                        await node.advance(to: index)
                        if disconnects, index == 10 { node.disconnectAll() }
                    }
                    for await progress in recorder.progress {
                        let isWhole = disconnects || progress.blocks == blockCount
                        if progress.sink == RecordingScript.hash(59).description, isWhole { break }
                    }
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            let recorded = try Recording(contentsOf: path)
            #expect(recorded.header.startHash == script.recording.header.startHash)
            #expect(recorded.header.networkID == "mainnet")
            let (chain, expected) = (try Self.chain(recorded), try Self.chain(script.recording))
            #expect(chain.chain.map(\.hash) == expected.chain.map(\.hash))
            #expect(chain.chain.map(\.acceptance) == expected.chain.map(\.acceptance))
            if !disconnects {
                #expect(chain.blocks == expected.blocks)
                #expect(chain.blockOrder == expected.blockOrder)
            }
        }
    }

    @Test("A recording of some duration ends by itself, and its file is whole")
    func duration() async throws {
        try await withTemporaryFile { path in
            try await withReplay(Self.source().recording) { node, url in
                await node.advance(to: 4)
                try await NodeRecorder(
                    configuration: Self.configuration(url), path: path, duration: .milliseconds(50), logger: quiet
                ).run()
            }
            let recorded = try Recording(contentsOf: path)
            #expect(recorded.header.startHash == RecordingScript.hash(2).description)
        }
    }

    @Test("A file that cannot be written ends the recording with an error")
    func unwritable() async throws {
        try await withReplay(Self.source().recording) { _, url in
            await #expect {
                try await NodeRecorder(
                    configuration: Self.configuration(url), path: "/nowhere/at/all", duration: nil, logger: quiet
                ).run()
            } throws: { ($0 as? RecordingError)?.code == .fileUnavailable }
        }
    }

    @Test("Stopped before any node answered, it leaves no file")
    func stoppedEarly() async throws {
        try await withTemporaryFile { path in
            let recorder = NodeRecorder(
                configuration: Self.configuration("http://127.0.0.1:1"), path: path, duration: nil, logger: quiet)
            let task = Task { try await recorder.run() }
            task.cancel()
            try await task.value
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
