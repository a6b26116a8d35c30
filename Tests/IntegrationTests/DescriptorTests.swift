#if os(Linux)
import APNsSandbox
import Foundation
import KaspadReplay
import NIOCore
import NIOPosix
import Testing

/// The real executable's file descriptors, while clients, the node and Apple come and go.
@Suite("File descriptors")
struct DescriptorTests {
    /// More than what may stay open: so one that is left behind in each round is seen.
    private static let rounds = 6
    /// What the first push opens for good: a connection to Apple, and what its sender wakes itself with.
    private static let forSending = 4
    private static let clients = 12

    @Test("requests, streams and lost connections leave none behind", .timeLimit(.minutes(5)))
    func noneStays() async throws {
        try await FaultWorld.with { faults in
            let world = faults.world
            let environment = world.environment.merging(["APNS_CONNECTIONS": "1"]) { $1 }
            let indexer = try await IndexerProcess(environment: environment)
            let descriptors = OpenDescriptors(of: indexer.process, store: environment["STORE_PATH"] ?? "")
            try await eventually("the node is followed") { world.replay.sessionCount == 1 }
            let limit = try descriptors.count() + Self.forSending
            for device in faults.golden.devices {
                let answer = try await Self.exchange(
                    "POST /v1/push/register HTTP/1.1", body: device.registration, port: indexer.rest.port)
                try #require(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            }
            for round in 1...Self.rounds {
                let before = try descriptors.count()
                let clients = try await Self.connect(Self.clients, port: indexer.rest.port)
                try await eventually("its clients have descriptors") {
                    try descriptors.count() >= before + Self.clients / 2
                }
                await world.replay.advance(to: world.replay.entryCount * round / Self.rounds)
                world.replay.disconnectAll()
                world.sandbox.closeConnections()
                for client in clients {
                    // One that asked nothing for ten seconds was closed by the service.
                    do { try await client.close() } catch ChannelError.alreadyClosed {}
                }
                try await eventually("after round \(round) it has \(limit) descriptors at most") {
                    try descriptors.count() <= limit && world.replay.sessionCount == 1
                }
            }
            try await faults.expectAll(mayRepeat: true)
            try await eventually("at the end it has \(limit) descriptors at most") {
                try descriptors.count() <= limit
            }
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }

    /// Clients of each kind: one that asks nothing, one that asks and stays, one that listens to a stream.
    private static func connect(_ count: Int, port: Int) async throws -> [any Channel] {
        var channels: [any Channel] = []
        for number in 0..<count {
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(60))
                .connect(host: "127.0.0.1", port: port).get()
            let path = number.isMultiple(of: 2) ? "/v1/activity/stream?address=\(address)" : "/health"
            if !number.isMultiple(of: 3) {
                try await channel.writeAndFlush(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n"))
            }
            channels.append(channel)
        }
        return channels
    }

    /// A request over a connection that ends with its answer.
    private static func exchange(_ line: String, body: Data, port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(60))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let head = "\(line)\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n"
            try await outbound.write(
                ByteBuffer(
                    string: "\(head)content-length: \(body.count)\r\n\r\n" + String(decoding: body, as: UTF8.self)))
            var answer = ""
            for try await buffer in inbound { answer += String(buffer: buffer) }
            return answer
        }
    }

    /// Of the recorded blocks' cast.
    private static let address = "kaspa:qz7w7fuz6mdgnp2hx2ytryle2s738uwn66pcdelnvyfcsh8yywp45z8k7603m"
}

/// What Linux says that a process has open.
private struct OpenDescriptors {
    let folder: String
    let store: String

    init(of process: LaunchedIndexer, store: String) {
        folder = "/proc/\(process.processID)/fd"
        self.store = store
    }

    /// All but the store's files, whose number is the compactions' business.
    func count() throws -> Int { try targets().count }

    private func targets() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
            // One that is closed in between has no target any more.
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0) }
            .filter { !$0.hasPrefix(store) }
    }
}
#endif
