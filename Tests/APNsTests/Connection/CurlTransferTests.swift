import APNsSandbox
import CCurl
import Foundation
import Testing

@testable import APNs

@Suite("One handle of a connection", .timeLimit(.minutes(5)))
struct CurlTransferTests {
    /// A connection that allows everything.
    private final class Connection: CurlTransfer.Owner {
        func maySocketBeOpened(forSent wasSent: Bool) -> Bool { true }
        func requestWillBeSent() -> ContinuousClock.Instant { ContinuousClock.now }
        func bytesReceived() {}
        func goAwayReceived(lastStream: Int) {}
    }

    /// What one handle said of two exchanges.
    private struct Statuses {
        var afterTheFirst: Int?
        /// With the second one loaded and given to libcurl, which has not begun with it.
        var beforeTheSecond: Int?
        var afterTheSecond: Int?
    }

    @Test("a handle that has answered 200 says nothing of its next exchange before that is sent")
    func reused() async throws {
        try await WireFixture.run { fixture in
            let issuedAt = Date(timeIntervalSinceNow: -60)
            let jwt = try await fixture.credentials.providerToken(issuedAt: issuedAt)
            let headers = try HeaderList(
                token: ProviderToken(jwt: jwt, issuedAt: UInt64(issuedAt.timeIntervalSince1970)), generation: 1,
                topic: WireFixture.topic)
            let settings = CurlSettings(
                APNsConfiguration(endpoint: fixture.sandbox.origin, topic: WireFixture.topic), host: .production)
            let exchange = Exchange(
                request: makeRequest(1), headers: headers, sendBy: ContinuousClock.now + Duration.seconds(60)
            ) { _ in }
            let seen = try statuses(ofTwice: exchange, settings)
            #expect(seen.afterTheFirst == 200)
            #expect(seen.beforeTheSecond == nil)
            #expect(seen.afterTheSecond == 200)
            #expect(fixture.sandbox.counts.requests == 2)
        }
    }

    /// Sends one exchange twice with the same handle.
    private func statuses(ofTwice exchange: Exchange, _ settings: CurlSettings) throws -> Statuses {
        try CurlError.check(CurlLibrary.initialization)
        let sockets = UnsafeMutablePointer<ccurl_sockets>.allocate(capacity: 1)
        ccurl_sockets_init(sockets)
        defer { sockets.deallocate() }
        guard let multi = curl_multi_init() else { throw CurlError(code: CURLE_OUT_OF_MEMORY) }
        defer { curl_multi_cleanup(multi) }
        let connection = Connection()
        let transfer = try CurlTransfer(settings: settings, sockets: sockets, owner: connection)
        // The sandbox's authority is in no file that this test knows.
        try CurlError.check(ccurl_set_long(transfer.easy, CURLOPT_SSL_VERIFYPEER, 0))

        var statuses = Statuses()
        try transfer.load(exchange, at: ContinuousClock.now)
        try CurlError.check(curl_multi_add_handle(multi, transfer.easy))
        try finish(multi)
        statuses.afterTheFirst = transfer.answer()?.status
        try CurlError.check(curl_multi_remove_handle(multi, transfer.easy))
        _ = transfer.unload()

        try transfer.load(exchange, at: ContinuousClock.now)
        try CurlError.check(curl_multi_add_handle(multi, transfer.easy))
        statuses.beforeTheSecond = transfer.answer()?.status
        try finish(multi)
        statuses.afterTheSecond = transfer.answer()?.status
        try CurlError.check(curl_multi_remove_handle(multi, transfer.easy))
        withExtendedLifetime(connection) {}
        return statuses
    }

    /// Lets libcurl work until nothing is under way; a minute is far more than it needs.
    private func finish(_ multi: UnsafeMutableRawPointer) throws {
        let deadline = ContinuousClock.now + Duration.seconds(60)
        var running: CInt = 0
        repeat {
            try CurlError.check(curl_multi_perform(multi, &running))
            if running > 0 { try CurlError.check(curl_multi_poll(multi, nil, 0, 100, nil)) }
        } while running > 0 && ContinuousClock.now < deadline
    }
}
