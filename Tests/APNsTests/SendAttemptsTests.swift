import HTTP2Client
import Testing

@testable import APNs

@Suite("SendAttempts")
struct SendAttemptsTests {
    /// What comes after each of these endings, one after the other.
    private func nexts(_ endings: [Exchange.Ending], isOverdue: Bool = false) -> [SendAttempts.Next] {
        var attempts = SendAttempts()
        return endings.map { attempts.ended($0, isOverdue: isOverdue) }
    }

    @Test("What the server did not process is sent again at once, three times")
    func resends() {
        let endings = [Exchange.Ending](repeating: .failed(.goAwayUnprocessed), count: 5)
        let end = SendAttempts.Next.end(.transport(.goAwayUnprocessed))
        #expect(nexts(endings) == [.tryAgain, .tryAgain, .tryAgain, end, end])
        #expect(nexts(endings, isOverdue: true) == [.tryAgain, .tryAgain, .tryAgain, end, end])
    }

    @Test("What was not sent goes to the next connection, twenty times, while its time is not over")
    func handsBack() {
        let nexts = nexts([Exchange.Ending](repeating: .handedBack, count: 21))
        #expect(nexts.dropLast().allSatisfy { $0 == .tryAgain } && nexts.count == 21)
        #expect(nexts.last == .end(.transport(.reset)))
        #expect(self.nexts([.handedBack], isOverdue: true) == [.end(.transport(.timeout))])
    }

    @Test(
        "Every other failure is the caller's to act on",
        arguments: [
            TransportFailure.refused, .unreachable, .reset, .timeout, .dns, .tls(code: 60), .notHTTP2, .other(code: 1),
        ])
    func fails(failure: TransportFailure) {
        #expect(nexts([.failed(failure)]) == [.end(.transport(failure))])
    }

    @Test("An answer is judged, whole or not, however late")
    func answers() {
        let answer = APNsAnswer(status: 200)
        for isComplete in [true, false] {
            let ending = Exchange.Ending.answered(HTTPAnswer(status: 200), isComplete: isComplete)
            #expect(nexts([ending], isOverdue: true) == [.judge(answer, isComplete: isComplete)])
        }
        #expect(nexts([.abandoned]) == [.end(.notSent(.abandoned))])
    }

    @Test("Each attempt knows how many went before, those with another provider token among them")
    func counts() {
        var attempts = SendAttempts()
        #expect(attempts.count == 0 && !attempts.hasRenewed)
        for ending in [Exchange.Ending.handedBack, .failed(.goAwayUnprocessed), .failed(.goAwayUnprocessed)] {
            _ = attempts.ended(ending, isOverdue: false)
        }
        attempts.renewed()
        #expect(attempts.count == 4 && attempts.hasRenewed)
    }
}
