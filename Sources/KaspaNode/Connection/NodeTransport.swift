import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf

/// One HTTP/2 connection to a node with the one stream that carries everything.
struct NodeTransport {
    let endpoint: NodeEndpoint
    let configuration: NodeConfiguration
    let reading: WireReading

    /// Carries messages both ways until the node ends the stream or the task is cancelled.
    ///
    /// What comes out of `requests` is sent; each message of the node is shown to `arriving` as it is, and goes to
    /// `receive` when it is read, one at a time and in order; the stream is read no faster than that returns. Throws
    /// whatever broke the connection; each call makes a new one, and nothing is retried here.
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
        // Below the generated stub, whose answers are decoded whole.
        try await client.bidirectionalStreaming(
            // Must not return while the stream lives: its end is the end of the requests.
            request: StreamingClientRequest { writer in
                // Not on the connection's thread, which may be reading an answer when the next question is put.
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
        // A fresh client queues its first call while it connects, and without waiting for readiness the call fails as
        // soon as the connection is refused, so that the next node is tried at once.
        options.waitForReady = false
        // The transport takes the inbound limit from the request's setting; the other one is what the setting should
        // be.
        options.maxRequestMessageBytes = configuration.maximumMessageBytes
        options.maxResponseMessageBytes = configuration.maximumMessageBytes
        return options
    }

    /// An `https` node has to prove that it is the host of its URL.
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
            // A dead peer is noticed within this sum even when no block is due.
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
    /// Reads the authority's file, if there is one.
    ///
    /// Errors: `.invalidAuthority`.
    package func checkAuthority() throws(NodeError) {
        guard let path = certificateAuthorityPath, let endpoint = NodeEndpoint("https://127.0.0.1:1", network: network)
        else { return }
        do {
            // Connects nowhere.
            _ = try NodeTransport(endpoint: endpoint, configuration: self, reading: .whole).makeTransport()
        } catch {
            throw NodeError(.invalidAuthority, "\(path) holds no certificates that can be used: \(error)")
        }
    }
}
