import Logging
import Testing

@testable import HTTP2Client

@Suite("Connection pool", .timeLimit(.minutes(5)))
struct ConnectionPoolTests {
    /// Nobody listens there.
    private let pool = ConnectionPool(
        connections: 1, settings: HTTP2Settings(service: "Test", origin: "https://127.0.0.1:1", streams: 10),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

    private func perform(_ request: HTTPRequest, _ shared: SharedFields) async -> Exchange.Result {
        await withCheckedContinuation { continuation in
            pool.submit(
                Exchange(request: request, shared: shared, sendBy: ContinuousClock.now + Duration.seconds(60)) {
                    continuation.resume(returning: $0)
                })
        }
    }

    /// How a request with shared fields of this generation ends; whether it ever had a connection.
    private func perform(generation: Int) async -> (isHandedBack: Bool, hadConnection: Bool) {
        let result = await perform(
            HTTPRequest(path: "/", fields: [], body: []), SharedFields([], generation: generation))
        let isHandedBack = if case .handedBack = result.ending { true } else { false }
        return (isHandedBack, result.connection != nil)
    }

    @Test("opens no connection for fields of a key that was replaced, but for those of its successor")
    func replacedKey() async throws {
        pool.replaceAll(refusingUpTo: 2)
        for generation in [1, 2] {
            let old = await perform(generation: generation)
            #expect(old.isHandedBack && !old.hadConnection)
        }
        let new = await perform(generation: 3)
        #expect(!new.isHandedBack && new.hadConnection)
        pool.close()
        await pool.ended()
    }

    @Test("does not take back an old key's fields for an even older replacement")
    func order() async throws {
        pool.replaceAll(refusingUpTo: 2)
        pool.replaceAll(refusingUpTo: 1)
        let old = await perform(generation: 2)
        #expect(old.isHandedBack && !old.hadConnection)
        pool.close()
        await pool.ended()
    }

    @Test("refuses header fields that do not fit into a frame, and opens nothing for them", arguments: [-1, 0, 1])
    func longHeaders(over: Int) async throws {
        let shared = SharedFields([HeaderField("authorization", "bearer")], generation: 1)
        let length = HTTPRequest(path: "", fields: [], body: []).headerBytes(with: shared, authority: "127.0.0.1:1")
        let path = String(repeating: "p", count: HTTPRequest.maximumHeaderBytes - length + over)
        let result = await perform(HTTPRequest(path: path, fields: [], body: []), shared)
        guard case .failed(let failure) = result.ending else {
            Issue.record("\(result)")
            return
        }
        #expect(failure == (over > 0 ? .headersTooLong : .refused))
        #expect((result.connection == nil) == (over > 0))
        pool.close()
        await pool.ended()
    }
}

@Suite("libcurl")
struct CurlLibraryTests {
    @Test("the system's libcurl uses OpenSSL, which HTTP/2 is offered through")
    func usesOpenSSL() { #expect(CurlLibrary.problem == nil) }
}
