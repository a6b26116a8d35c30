import Kaspa
package import KaspaNode
package import Logging
import ServiceLifecycle
import SwiftProtobuf

/// Records a live node: its block notifications, and its virtual chain from the sink at the start.
///
/// It ends after a duration, at the graceful shutdown or when cancelled. Then the file is complete. After a disconnect
/// it continues: notifications of blocks meanwhile are missing, but the virtual chain has no gap.
package final class NodeRecorder: Service {
    /// The interval of requests for the virtual chain without a notification.
    private static let pollInterval = Duration.seconds(2)

    /// The newest progress, for one reader.
    package let progress: AsyncStream<RecordingProgress>

    private let configuration: NodeConfiguration
    private let duration: Duration?
    private let logger: Logger
    private let file: RecordingFile
    private let link: NodeLink
    /// Yields when to request the virtual chain.
    private let ticks: AsyncStream<Void>
    private let tick: AsyncStream<Void>.Continuation
    private let progressSink: AsyncStream<RecordingProgress>.Continuation

    /// Prepares a recording that begins with the first answer.
    ///
    /// If `duration` is nil, it lasts until it is stopped.
    package init(configuration: NodeConfiguration, path: String, duration: Duration?, logger: Logger) {
        self.configuration = configuration
        self.duration = duration
        self.logger = logger
        let file = RecordingFile(path: path)
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (progress, progressSink) = AsyncStream.makeStream(
            of: RecordingProgress.self, bufferingPolicy: .bufferingNewest(1))
        (self.file, self.ticks, self.tick) = (file, ticks, tick)
        (self.progress, self.progressSink) = (progress, progressSink)
        link = NodeLink(configuration: configuration, logger: logger) { event in
            if case .blockAdded(let block, _) = event {
                await file.append(block)
                progressSink.yield(await file.progress)
            } else {
                tick.yield()
            }
        }
    }

    /// Records until the duration is over or the recorder is stopped.
    ///
    /// Throws errors of the file, and permanent errors of the node.
    package func run() async throws {
        defer { progressSink.finish() }
        do {
            try await cancelWhenGracefulShutdown {
                try await self.record()
            }
        } catch is CancellationError {
            // Stopped: the recording is what was written so far.
        }
        try await file.close()
        let recorded = await file.progress
        logger.info(
            "recording written",
            metadata: ["blocks": "\(recorded.blocks)", "virtual_chain.changes": "\(recorded.virtualChainChanges)"])
    }

    private func record() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.link.run() }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.pollInterval)
                    self.tick.yield()
                }
            }
            group.addTask {
                guard let start = try await self.begin() else { return }
                try await self.followVirtualChain(from: start)
            }
            // The last of them ends first, unless something throws.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Waits for a node and begins the file at its sink; nil when cancelled.
    private func begin() async throws -> BlockHash? {
        for await _ in ticks {
            guard let info = try await patiently({ () async throws(NodeError) in try await self.link.blockDagInfo() })
            else { continue }
            let start = try DagInfo(info).sink
            let status = link.status
            try await file.begin(
                .with {
                    $0.networkID = configuration.network.description
                    $0.description_p = "recorded from kaspad \(status.serverVersion ?? "of unknown version")"
                    $0.startHash = start.description
                })
            progressSink.yield(await file.progress)
            return start
        }
        return nil
    }

    /// Writes down how the virtual chain changes, for the duration.
    private func followVirtualChain(from start: BlockHash) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let duration {
                group.addTask { try await Task.sleep(for: duration) }
            }
            group.addTask {
                var cursor = start
                for await _ in self.ticks {
                    cursor = try await self.catchUp(from: cursor)
                    try await self.file.flush()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Asks until nothing is added any more; says where the chain stands then.
    private func catchUp(from start: BlockHash) async throws -> BlockHash {
        var cursor = start
        while let answer = try await patiently({ [cursor] () async throws(NodeError) in
            try await self.link.rawVirtualChain(from: cursor)
        }) {
            // Ignore blocks that are removed with none added: the next answer has both.
            guard let last = try VirtualChainUpdate(answer).added.last else { break }
            await file.append(
                .with {
                    $0.removedChainBlockHashes = answer.removedChainBlockHashes
                    $0.added = answer.chainBlockAcceptedTransactions
                })
            progressSink.yield(await file.progress)
            cursor = last.header.hash
        }
        return cursor
    }

    /// The node's answer, or nil after a temporary error, after which the next tick asks again.
    private func patiently<Answer>(_ ask: () async throws(NodeError) -> Answer) async throws -> Answer? {
        do throws(NodeError) {
            return try await ask()
        } catch {
            switch error.code {
            case .notConnected, .transport, .timeout, .busy, .syncing, .cancelled, .stalled, .behind, .unusable,
                .preferredNode:
                return nil
            case .rejected, .startHashUnknown, .wrongNetwork, .malformedAnswer, .invalidURL, .invalidAuthority:
                throw error
            }
        }
    }
}
