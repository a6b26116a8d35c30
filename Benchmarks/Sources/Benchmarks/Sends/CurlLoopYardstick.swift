import APNs
import CurlYardstick
import Foundation

/// The same notifications by a bare loop around libcurl in C, over one connection.
///
/// It is called from one thread at a time.
final class CurlLoopYardstick {
    private let loop: OpaquePointer
    private let endpoint: String
    /// libcurl is told where they are, and copies neither.
    private let body: UnsafeMutableBufferPointer<UInt8>

    init(server: SandboxProcess, streams: Int, bodyBytes: Int) async throws {
        let bearer = try await server.bearer()
        endpoint = server.endpoint
        let bytes = Notifications.body(bodyBytes)
        body = .allocate(capacity: bytes.count)
        _ = body.initialize(from: bytes)
        let lines = [
            "authorization: bearer \(bearer)", "apns-topic: \(server.topic)", "apns-push-type: alert",
            "apns-priority: 10", "apns-expiration: 4000000000", "content-type: application/json", "Accept:", "Expect:",
        ]
        let copies = lines.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) }
        guard
            let loop = curl_yardstick_open(
                server.certificateAuthority, Int32(streams), pointers, pointers.count, body.baseAddress, body.count)
        else {
            body.deallocate()
            throw BenchmarkError("libcurl could not be set up.")
        }
        self.loop = loop
    }

    deinit {
        curl_yardstick_close(loop)
        body.deallocate()
    }

    /// Sends to as many devices as there are requests; returns the seconds it took.
    ///
    /// - Throws: ``BenchmarkError`` when one is not accepted.
    func send(_ requests: [APNsRequest]) throws -> Double {
        // Written before the clock starts; one allocation each, freed after it has stopped.
        let texts = requests.map { request in
            (
                strdup("\(endpoint)/3/device/\(request.deviceToken)"), strdup("apns-id: \(request.id)"),
                strdup("apns-collapse-id: \(request.collapseID)")
            )
        }
        defer {
            for text in texts {
                free(text.0)
                free(text.1)
                free(text.2)
            }
        }
        let list = texts.map { curl_yardstick_request(url: $0.0, id: $0.1, collapse_id: $0.2) }
        var accepted = 0
        let seconds = Measure.seconds { accepted = curl_yardstick_send(loop, list, list.count) }
        guard accepted == list.count else {
            throw BenchmarkError("Of \(list.count) notifications of the bare loop, \(accepted) were accepted.")
        }
        return seconds
    }
}
