import Dispatch
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf

/// One HTTP/2 connection to a node, with one stream for all messages.
struct NodeTransport {
    let endpoint: NodeEndpoint
    let configuration: NodeConfiguration
    let reading: WireReading

    /// Carries messages both ways until the node ends the stream or the task is cancelled.
    ///
    /// Sends what `requests` yields. Each message of the node is shown to `arriving` undecoded; decoded, it goes to
    /// `receive`, one at a time and in order, and the next is read only when `receive` has returned.
    /// Each call makes a new connection. It throws the error that broke it; nothing is retried here.
    func exchange(
        _ requests: AsyncStream<Protowire_KaspadRequest>,
        arriving: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
        receive: @escaping @Sendable (NodeResponse) async -> Void
    ) async throws {
        let client = GRPCClient(transport: try makeTransport())
        try await withTaskExecutorPreference(ConnectionThread()) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.runConnections() }
                defer { group.cancelAll() }
                try await stream(requests, over: client, arriving: arriving, receive: receive)
            }
        }
    }

    private func stream(
        _ requests: AsyncStream<Protowire_KaspadRequest>,
        over client: GRPCClient<HTTP2ClientTransport.Posix>,
        arriving: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
        receive: @escaping @Sendable (NodeResponse) async -> Void
    ) async throws {
        // Not through the generated stub, which decodes each answer in full.
        try await client.bidirectionalStreaming(
            // Must not return while the stream is open: returning ends the requests.
            request: StreamingClientRequest { writer in
                // Not on the connection's thread, which may be decoding an answer.
                try await withTaskExecutorPreference(globalConcurrentExecutor) {
                    for await request in requests {
                        try await writer.write(request)
                    }
                }
            },
            descriptor: Protowire_RPC.Method.MessageStream.descriptor,
            serializer: ProtobufSerializer<Protowire_KaspadRequest>(),
            deserializer: ResponseDeserializer(reading: reading, arriving: arriving),
            options: callOptions
        ) { response in
            for try await message in response.messages {
                await receive(message)
            }
        }
    }

    private var callOptions: CallOptions {
        var options = CallOptions.defaults
        // The first call still waits for the connection. Without `waitForReady` it fails as soon as the connection is
        // refused, so that the next node is tried at once.
        options.waitForReady = false
        // The transport reads the inbound limit from the request's setting. The response's setting is set too, for when
        // that changes.
        options.maxRequestMessageBytes = configuration.maximumMessageBytes
        options.maxResponseMessageBytes = configuration.maximumMessageBytes
        return options
    }

    /// An `https` node's certificate must name the host of its URL.
    private var security: HTTP2ClientTransport.Posix.TransportSecurity {
        guard endpoint.usesTLS else { return .plaintext }
        return .tls { tls in
            guard let path = configuration.certificateAuthorityPath else { return }
            tls.trustRoots = .certificates([.file(path: path, format: .pem)])
        }
    }

    fileprivate func makeTransport() throws -> HTTP2ClientTransport.Posix {
        let config = HTTP2ClientTransport.Posix.Config.defaults {
            $0.http2.targetWindowSize = 16 * 1024 * 1024
            // A dead peer is noticed within 30 s even when no block is due.
            $0.connection.keepalive = .init(time: .seconds(20), timeout: .seconds(10), allowWithoutCalls: true)
            if configuration.usesCompression {
                $0.compression = .init(algorithm: .gzip, enabledAlgorithms: [.gzip])
            }
        }
        switch endpoint.host {
        case .name(let name):
            return try .init(target: .dns(host: name, port: endpoint.port), transportSecurity: security, config: config)
        case .ipv4(let address):
            return try .init(
                target: .ipv4(address: address, port: endpoint.port), transportSecurity: security, config: config)
        case .ipv6(let address):
            return try .init(
                target: .ipv6(address: address, port: endpoint.port), transportSecurity: security, config: config)
        }
    }
}

extension NodeConfiguration {
    /// Checks that the authority's file can be read, if one is configured.
    ///
    /// Errors: `.invalidAuthority`.
    package func checkAuthority() throws(NodeError) {
        guard let path = certificateAuthorityPath, let endpoint = NodeEndpoint("https://127.0.0.1:1", network: network)
        else { return }
        do {
            // This makes no connection.
            _ = try NodeTransport(endpoint: endpoint, configuration: self, reading: .whole).makeTransport()
        } catch {
            throw NodeError(.invalidAuthority, "\(path) holds no certificates that can be used: \(error)")
        }
    }
}

/// Runs the reading of a connection on a serial queue of its own.
///
/// A catch-up answer of hundreds of megabytes takes tenths of a second to decode. On the cooperative pool it would
/// block a thread that everything else shares.
final class ConnectionThread: TaskExecutor {
    private let queue = DispatchQueue(label: "kasia.node.connection")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}

/// Decodes messages in gRPC's own buffer, without copying the bytes.
struct ResponseDeserializer: MessageDeserializer {
    let reading: WireReading
    /// Sees each message before it is decoded.
    let arriving: @Sendable (UnsafeRawBufferPointer) -> Void

    /// Throws `malformedAnswer`, which ends the stream: nothing after a malformed message can be trusted.
    func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) throws -> NodeResponse {
        do {
            return try serializedMessageBytes.withUnsafeBytes { message in
                arriving(message)
                return try reading.read(message)
            }
        } catch {
            throw NodeError(.malformedAnswer, "the node sent what is no message: \(error)")
        }
    }
}
