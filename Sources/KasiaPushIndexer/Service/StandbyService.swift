import API
import Logging
import Metrics
import ServiceLifecycle
import Store

/// Stands by while another process works on the store, until the store is open.
///
/// Meanwhile the process is ready for its supervisor, and answers the operator's calls and reads of the history on the
/// REST port.
struct StandbyService: Sendable {
    let configuration: IndexerConfiguration
    let tls: TLSIdentity?
    let metrics: PrometheusRegistry
    let notifier: SystemdNotifier?
    let signals: StopSignals
    /// nil for a store in a directory.
    let membership: Membership?
    /// nil unless the store is shared out.
    let shards: ShardRunner?
    let logger: Logger
    /// Is told the REST port.
    let onListening: @Sendable (Int) async -> Void
    /// Opens the store; blocks no thread of the pool.
    let open: @Sendable () async throws(StoreError) -> Store
    /// Opens it to read, also while another process works on it.
    let openToRead: @Sendable () async throws(StoreError) -> Store

    /// The store as soon as no other process works on it.
    ///
    /// The REST port is free again on return. Errors: `StandbyStopped` after SIGTERM or SIGINT, `StoreError` (not
    /// `.locked` or `.unavailable`) and `StartError`, both for the operator.
    func openStore() async throws -> Store {
        do throws(StoreError) {
            return try await open()
        } catch {
            guard StoreWaiter.waits(after: error) else { throw error }
            return try await standBy(error)
        }
    }

    private func standBy(_ reason: StoreError) async throws -> Store {
        Gauge(label: "kasia_standby", factory: metrics).record(1)
        logger.notice(
            "service.standby", metadata: ["store": "\(configuration.store.location)", "reason": "\(reason)"])
        let begin = ContinuousClock.now
        let waiter = StoreWaiter(
            after: reason, location: configuration.store.location, logger: logger, open: open)
        let reads = StandbyReads(
            configuration: APIConfiguration(configuration, tls: tls), logger: Logger(label: "kasia.api"))
        // They stop from the last to the first, once the store is open, one of them fails, or a signal comes.
        let services =
            try watchdog(waiter) + meetings + [waiter, StandbyReader(reads, open: openToRead)] + listener(waiter, reads)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
                }, logger: logger))
        waiter.whenOpen { await group.triggerGracefulShutdown() }
        try await signals.run(group)
        let store = waiter.takeStore()
        guard let store, !signals.haveCome else {
            notifier?.stopping()
            await membership?.leave()
            logger.notice("service.stopped")
            throw StandbyStopped(closing: store?.closing)
        }
        let waited = (ContinuousClock.now - begin).components.seconds
        logger.notice("service.active", metadata: ["standby.seconds": "\(waited)"])
        return store
    }

    private var meetings: [any Service] { membership.map { [$0.service(isWorking: false)] } ?? [] }

    private func watchdog(_ waiter: StoreWaiter) -> [any Service] {
        guard let notifier, let interval = notifier.watchdogInterval else { return [] }
        return [WatchdogService(notifier: notifier, interval: interval, readiness: { waiter.readiness })]
    }

    private func listener(_ waiter: StoreWaiter, _ reads: StandbyReads) throws -> [any Service] {
        let (host, port) = (configuration.http.host, configuration.http.port)
        let api = try buildStandbyAPI(
            configuration: APIConfiguration(configuration, tls: tls), metrics: metrics, reads: reads,
            readiness: { waiter.readiness }, logger: Logger(label: "kasia.api")
        ) { [logger, notifier, onListening] port in
            logger.notice("api.listening", metadata: ["host": "\(host)", "port": "\(port)"])
            notifier?.ready()
            await onListening(port)
        }
        // Without the notifier: what ends here is not the service.
        let hangup = HangupService(
            tls: tls, keyRotation: nil, shards: shards, notifier: nil, logger: Logger(label: "kasia.api"))
        return [hangup, ListenerService(server: api, host: host, port: port)]
    }
}

/// The service was stopped while it stood by.
struct StandbyStopped: Error {
    /// Of a store that was opened at the same moment.
    let closing: StoreClosing?
}
