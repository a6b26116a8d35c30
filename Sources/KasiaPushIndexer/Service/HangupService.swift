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

/// Reads the REST port's certificate and key again at SIGHUP; connections that are open go on as they are.
///
/// Runs without TLS too: a SIGHUP must not end the service.
struct HangupService: Service {
    private let tls: TLSIdentity?
    private let logger: Logger

    init(tls: TLSIdentity?, logger: Logger) {
        self.tls = tls
        self.logger = logger
        // From the first moment on, and not only once the service runs.
        signal(SIGHUP, SIG_IGN)
    }

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            guard let tls else {
                logger.notice("api.tls.not_configured")
                continue
            }
            do {
                try tls.reload()
                logger.notice("api.tls.reloaded")
            } catch {
                logger.error("api.tls.not_reloaded", metadata: ["error.message": "\(error)"])
            }
        }
    }
}
