import APNs
import CurlYardstick
import Foundation

/// The same notifications by a bare loop in C around nghttp2's frames on libcurl's connection.
///
/// It is called from one thread at a time.
final class FrameLoopYardstick {
    private let loop: OpaquePointer
    /// What the loop refers to and does not copy.
    private let texts: [UnsafeMutablePointer<CChar>?]
    private let names: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let body: UnsafeMutableBufferPointer<UInt8>
    private let authority: UnsafeMutablePointer<CChar>?

    init(server: SandboxProcess, streams: Int, bodyBytes: Int) async throws {
        let fields = [
            ("authorization", "bearer \(try await server.bearer())"), ("apns-topic", server.topic),
            ("apns-push-type", "alert"), ("apns-priority", "10"), ("apns-expiration", "4000000000"),
            ("content-type", "application/json"), ("content-length", "\(bodyBytes)"),
        ]
        let bytes = Notifications.body(bodyBytes)
        body = .allocate(capacity: bytes.count)
        _ = body.initialize(from: bytes)
        names = .allocate(capacity: fields.count)
        values = .allocate(capacity: fields.count)
        texts = fields.flatMap { [strdup($0.0), strdup($0.1)] }
        for index in fields.indices {
            (names + index).initialize(to: UnsafePointer(texts[2 * index]))
            (values + index).initialize(to: UnsafePointer(texts[2 * index + 1]))
        }
        authority = strdup(String(server.endpoint.dropFirst("https://".count)))
        guard
            let loop = frame_yardstick_open(
                server.endpoint, authority, server.certificateAuthority, UInt32(streams), names, values, fields.count,
                body.baseAddress, body.count)
        else {
            throw BenchmarkError("The bare loop of frames could not connect.")
        }
        self.loop = loop
    }

    deinit {
        frame_yardstick_close(loop)
        for text in texts + [authority] { free(text) }
        names.deallocate()
        values.deallocate()
        body.deallocate()
    }

    /// Sends to as many devices as there are requests; returns the seconds it took.
    ///
    /// - Throws: ``BenchmarkError`` when one is not accepted.
    func send(_ requests: [APNsRequest]) throws -> Double {
        // Written before the clock starts; one allocation each, freed after it has stopped.
        let texts = requests.map {
            (strdup("/3/device/\($0.deviceToken)"), strdup($0.id), strdup($0.collapseID))
        }
        defer {
            for text in texts {
                free(text.0)
                free(text.1)
                free(text.2)
            }
        }
        let list = texts.map { frame_yardstick_request(path: $0.0, id: $0.1, collapse_id: $0.2) }
        var accepted = 0
        let seconds = Measure.seconds { accepted = frame_yardstick_send(loop, list, list.count) }
        guard accepted == list.count else {
            throw BenchmarkError(
                "Of \(list.count) notifications of the bare loop of frames, \(accepted) were accepted.")
        }
        return seconds
    }
}
