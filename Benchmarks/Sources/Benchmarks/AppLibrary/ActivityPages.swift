import Foundation
import KasiaPushClient

/// A service that has nothing but pages of activity, ready to be sent.
struct ActivityPages: Transport {
    private static let rowsPerPage = 100

    let address = "kaspa:qzppr38nhrz4mx7vjxyhthdk8n463m4ej5l6vjyqd5fy2gq5jhl6j9zsly4lp"
    let bodies: [Data]

    /// Writes pages with so many rows in all.
    init(rows: Int) {
        let pages = (rows + Self.rowsPerPage - 1) / Self.rowsPerPage
        bodies = (0..<pages).map { page in
            let numbers = page * Self.rowsPerPage..<min(rows, (page + 1) * Self.rowsPerPage)
            let items = numbers.map(Self.item).joined(separator: ",")
            let isLast = page == pages - 1
            return Data(
                #"{"items":[\#(items)],"has_more":\#(!isLast),"next_cursor":\#(isLast ? "null" : "\"\(page + 1)\"")}"#
                    .utf8)
        }
    }

    func answer(to request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems
        let page = query?.first { $0.name == "cursor" }?.value.flatMap { Int($0) } ?? 0
        return TransportAnswer(
            status: 200, headers: TransportHeaders(["content-type": "application/json"]), body: bodies[page])
    }

    /// There is no stream, so that the feed asks for pages.
    func stream(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
        TransportStream(status: 503) { () async throws(TransportError) -> Data? in nil }
    }

    private static func item(_ number: Int) -> String {
        var random = SplitMix64(seed: UInt64(number))
        let id = String(decoding: random.hexadecimal(64), as: UTF8.self)
        return """
            {"id":"\(id)","type":"payment","direction":"received","counterparty":null,"amount":700000000,"fee":2036,\
            "memo":"Coffee","status":"confirmed","confirmations":100,"block_time":\(1_800_000_000_000 - number * 1_000),\
            "accepted_at":\(1_800_000_000_500 - number * 1_000),"explorer_url":null}
            """
    }
}
