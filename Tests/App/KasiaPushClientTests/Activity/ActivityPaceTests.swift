import KasiaPushClient
import Testing

@testable import struct KasiaPushClient.ActivityPace

@Suite struct ActivityPaceTests {
    private let refused = IndexerError(.refused, message: "taken", status: 503, retryAfter: .seconds(20))

    @Test("Pauses grow to thirty seconds while there is no stream, and begin anew after one")
    func growingPauses() {
        var pace = ActivityPace()
        var pauses: [Duration?] = []
        for _ in 0..<5 {
            pace.streamEnded(wasAlive: false, error: nil)
            #expect(pace.polls)
            pauses.append(pace.pause(after: nil))
        }
        #expect(pauses == [.seconds(5), .seconds(15), .seconds(30), .seconds(30), .seconds(30)])
        pace.streamEnded(wasAlive: true, error: nil)
        #expect(!pace.polls)
        #expect(pace.pause(after: nil) == .seconds(1))
        pace.streamEnded(wasAlive: false, error: nil)
        #expect(pace.pause(after: nil) == .seconds(5))
    }

    @Test("A stream is left alone as long as the service asks")
    func streamPause() {
        var pace = ActivityPace()
        pace.streamEnded(wasAlive: false, error: refused)
        #expect(!pace.mayStream)
        pace.waited(.seconds(19))
        #expect(!pace.mayStream)
        pace.streamEnded(wasAlive: false, error: nil)
        pace.waited(.seconds(1))
        #expect(pace.mayStream)
    }

    @Test("A refusal of pages is waited for, and one that stays waits for the user")
    func refusedPages() {
        var pace = ActivityPace()
        pace.streamEnded(wasAlive: false, error: nil)
        #expect(pace.pause(after: refused) == .seconds(20))
        #expect(pace.pause(after: IndexerError(.unreachable, message: "no network")) == .seconds(5))
        #expect(pace.pause(after: IndexerError(.refused, message: "no address", status: 400)) == nil)
    }
}
