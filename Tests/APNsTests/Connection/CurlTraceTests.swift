import Testing

@testable import APNs

@Suite("libcurl's trace")
struct CurlTraceTests {
    @Test(
        "tells the stream of a request and the end of a connection, in the words of several versions",
        arguments: [
            ("Using Stream ID: 13 (easy handle 0x7f)\n", CurlTrace.streamOpened(13)),
            ("recveived GOAWAY, error=0, last_stream=99\n", .goAway(lastStream: 99)),
            ("received GOAWAY, error=11, last_stream=2147483647\n", .goAway(lastStream: 2_147_483_647)),
            ("[HTTP/2] [0] <- FRAME[GOAWAY, error=0, reason='', last_stream=0]", .goAway(lastStream: 0)),
        ])
    func known(line: String, expected: CurlTrace) { #expect(CurlTrace(Array(line.utf8)) == expected) }

    @Test(
        "says nothing else",
        arguments: [
            "", "U", "Using Stream ID: ", "Using Stream ID: x", "Using Stream ID: 99999999999999999999", "r",
            "recveived GOAWAY, error=0", "recveived GOAWAY, error=0, last_stream=", "received SETTINGS last_stream=1",
            "GOAWAY last_stream=1", "[",
        ])
    func unknown(line: String) { #expect(CurlTrace(Array(line.utf8)) == nil) }
}
