import NIOCore
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The REST server; when it cannot listen, it says where and which keys decide that.
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
