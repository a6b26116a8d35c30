import API
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Logging
import ServiceLifecycle
import UnixSignals

/// Reloads the REST port's certificate and key, then the keys of pushes, at SIGHUP.
///
/// Open connections stay as they are. It tells systemd when the service reloads, and when it begins to stop. It runs
/// even if there is nothing to reload, since SIGHUP must not end the service.
struct HangupService: Service {
    private let tls: TLSIdentity?
    private let keyRotation: KeyRotation?
    private let shards: ShardRunner?
    private let notifier: SystemdNotifier?
    private let logger: Logger

    init(
        tls: TLSIdentity?, keyRotation: KeyRotation?, shards: ShardRunner?, notifier: SystemdNotifier?, logger: Logger
    ) {
        self.shards = shards
        self.tls = tls
        self.keyRotation = keyRotation
        self.notifier = notifier
        self.logger = logger
        // From the start, and not only once the service runs.
        signal(SIGHUP, SIG_IGN)
    }

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            notifier?.reloading()
            reloadTLS()
            await keyRotation?.reload()
            await shards?.readAgain()
            notifier?.ready()
        }
        notifier?.stopping()
    }

    private func reloadTLS() {
        guard let tls else {
            logger.notice("api.tls.not_configured")
            return
        }
        do {
            try tls.reload()
            logger.notice("api.tls.reloaded")
        } catch {
            logger.error("api.tls.not_reloaded", metadata: ["error.message": "\(error)"])
        }
    }
}
