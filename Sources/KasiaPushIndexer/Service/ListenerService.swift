import NIOCore
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The REST server.
///
/// If it cannot listen, the error names the address and the keys to change.
struct ListenerService: Service {
    let server: any Service
    let host: String
    let port: Int

    func run() async throws {
        do {
            try await server.run()
        } catch let error as IOError {
            throw StartError(
                description: "cannot listen on \(host), port \(port) (http.host, http.port): "
                    + String(cString: strerror(error.errnoCode)))
        }
    }
}
