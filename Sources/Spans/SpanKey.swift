/// The attributes of spans: these and no others, so that no personal data gets into a trace by accident.
///
/// Names without `kasia.` are those of OpenTelemetry's semantic conventions. Values are counts, words out of few, hosts
/// that the operator configured, or public on the chain; never a device token, an address, an alias, a payload, or
/// where a client is.
package enum SpanKey: String, CaseIterable, Sendable {
    // Of any span.

    /// The kind of failure, from a fixed set of words.
    case errorType = "error.type"

    // Of requests over HTTP, ours and Apple's.

    /// The method; `_OTHER` if it is not a standard one.
    case httpMethod = "http.request.method"
    /// The route's template, such as `/v1/messages/{tx_id}`; absent when no route matched.
    case httpRoute = "http.route"
    /// The answer's status.
    case httpStatus = "http.response.status_code"
    /// How often the request had been sent before.
    case httpResends = "http.request.resend_count"
    /// `http` or `https`.
    case urlScheme = "url.scheme"
    /// The path of a request to Apple, with the token left out.
    case urlTemplate = "url.template"
    /// Version of HTTP.
    case protocolVersion = "network.protocol.version"
    /// The server's host as the operator configured it.
    case serverAddress = "server.address"
    /// The server's port.
    case serverPort = "server.port"
    /// The answer's `x-request-id`, which the log lines have as `request.id`.
    case requestID = "kasia.request.id"

    // Of questions to a node.

    /// Always `grpc`.
    case rpcSystem = "rpc.system"
    /// Always `protowire.RPC`, kaspad's only service.
    case rpcService = "rpc.service"
    /// The kind of request. On the wire all share one stream.
    case rpcMethod = "rpc.method"

    // Of the virtual chain.

    /// The URL of the node that answered.
    case nodeURL = "kasia.node.url"
    /// Chain blocks that were added.
    case blocksAdded = "kasia.chain.blocks_added"
    /// Chain blocks that were removed.
    case blocksRemoved = "kasia.chain.blocks_removed"
    /// Transactions that the added blocks accept, ours or not.
    case transactions = "kasia.chain.transactions"
    /// Operations of ours among them.
    case operations = "kasia.chain.operations"
    /// Plain transfers among them that may touch a watched address.
    case transfers = "kasia.chain.transfers"
    /// Operations that are newly accepted in the store.
    case accepted = "kasia.chain.accepted"
    /// Operations that are no longer accepted in the store.
    case reverted = "kasia.chain.reverted"
    /// Events put into the outbox.
    case events = "kasia.chain.events"
    /// Operations whose sender must be asked for.
    case unresolved = "kasia.chain.unresolved"
    /// The chain block up to which the store has followed.
    case cursor = "kasia.chain.cursor"
    /// The DAA score of that block.
    case daaScore = "kasia.chain.daa_score"
    /// A block of the graph.
    case block = "kasia.block.hash"
    /// Operations in it.
    case blockOperations = "kasia.block.operations"

    // Of pushes.

    /// The transaction that is pushed.
    case transaction = "kasia.transaction.id"
    /// The push's kind, such as `contextual_message`.
    case pushKind = "kasia.push.kind"
    /// Deliveries queued in this step.
    case deliveries = "kasia.push.deliveries"
    /// Watchers not notified in this step.
    case suppressed = "kasia.push.suppressed"
    /// Whether all watchers have been read.
    case isFinished = "kasia.push.finished"
    /// The number of the attempt, from 1.
    case attempt = "kasia.push.attempt"
    /// Milliseconds since the delivery was queued.
    case waited = "kasia.push.waited_ms"
    /// The outcome of the attempt: one of seventeen words.
    case outcome = "kasia.push.outcome"
    /// Apple's reason, or `Unknown` for a name that is not in its list.
    case apnsReason = "kasia.apns.reason"
}

/// The fixed names of spans.
///
/// Requests are named by method and template.
package enum SpanName {
    /// A request for the virtual chain, or several while the tip is far.
    package static let chainFetch = "kasia.chain.fetch"
    /// The processing of an answer, from its arrival to the rows on disk.
    package static let chainStep = "kasia.chain.step"
    /// The reading of an answer: operations, senders, receivers.
    package static let chainBuild = "kasia.chain.build"
    /// The write of operations, acceptances, events and cursor.
    package static let chainWrite = "kasia.chain.write"
    /// The write of operations that were seen in a block, as pending.
    package static let blockWrite = "kasia.block.write"
    /// One step of an event: some watchers become deliveries.
    package static let fanOut = "kasia.push.fan_out"
    /// One attempt at a delivery.
    package static let delivery = "kasia.push.delivery"
    /// All fixed names.
    package static let all = [chainFetch, chainStep, chainBuild, chainWrite, blockWrite, fanOut, delivery]
}
