import NIOCore
import NIOPosix

/// Sends requests to the process that has the store.
enum ControlClient {
    /// The outcome of a request.
    enum Outcome: Equatable, Sendable {
        /// No service is running with this store.
        case notRunning
        case done(String)
    }

    /// The service's answer to a question that it answers at once.
    ///
    /// nil if no service runs with this store, the user may not use the socket, the service does not know the question,
    /// or it does not answer within `limit`.
    static func ask(
        _ request: ControlRequest, storePath: String, within limit: Duration = .seconds(5)
    ) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                guard case .done(let answer)? = try? await send(request, storePath: storePath) else { return nil }
                return answer
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    /// Sends a request and waits for its end, however long that takes.
    ///
    /// `progress` gets the lines of progress.
    ///
    /// Errors: `StartError` with the service's message, or if it went away, or for a path that does not fit into a
    /// request; the system's errors.
    static func send(
        _ request: ControlRequest, storePath: String, _ progress: @Sendable (String) -> Void = { _ in }
    ) async throws -> Outcome {
        guard !request.line.utf8.contains(UInt8(ascii: "\n")) else {
            throw StartError(description: "the path holds a line feed, which ends a request: choose another path")
        }
        let socket = try ControlSocket(storePath: storePath)
        let descriptor: CInt
        do {
            guard let connected = try socket.makeConnection() else { return .notRunning }
            descriptor = connected
        } catch {
            throw StartError(description: "\(socket.path): \(error); run this as the service's user, or as root")
        }
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .withConnectedSocket(descriptor) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request.line + "\n"))
            var lines = LineReader(inbound)
            while let line = try await lines.next() {
                switch ControlReply(line: line) {
                case .progress(let text): progress(text)
                case .done(let text): return .done(text)
                case .failed(let text): throw StartError(description: text)
                case nil: throw StartError(description: "the running service gave an answer that is none")
                }
            }
            throw StartError(description: "the service ended before it answered; look at its log")
        }
    }
}
