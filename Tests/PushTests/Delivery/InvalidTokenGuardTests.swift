import Testing

@testable import Push

@Suite("InvalidTokenGuard")
struct InvalidTokenGuardTests {
    private func guarding(_ answers: [(InvalidTokenGuard.Answer, Int)]) -> InvalidTokenGuard {
        var guarding = InvalidTokenGuard()
        for (answer, count) in answers {
            for _ in 0..<count { guarding.record(answer) }
        }
        return guarding
    }

    @Test(
        "Devices are removed only with a success and at most half invalid tokens among the last 200 answers",
        arguments: [
            ([], false), ([(.invalidToken, 1)], false), ([(.other, 1)], false), ([(.success, 1)], true),
            ([(.success, 1), (.invalidToken, 1)], true), ([(.success, 1), (.invalidToken, 2)], false),
            ([(.success, 1), (.other, 98), (.invalidToken, 100)], false),
            ([(.success, 1), (.other, 99), (.invalidToken, 100)], true),
            ([(.success, 1), (.other, 98), (.invalidToken, 101)], false),
            ([(.success, 99), (.invalidToken, 100)], false), ([(.success, 100), (.invalidToken, 100)], true),
            ([(.success, 99), (.invalidToken, 101)], false),
            // The first success falls out with the 201st answer.
            ([(.success, 1), (.other, 198)], true), ([(.success, 1), (.other, 199)], true),
            ([(.success, 1), (.other, 200)], false),
            // So does an invalid token.
            ([(.invalidToken, 101), (.success, 99)], false), ([(.invalidToken, 101), (.success, 100)], true),
            ([(.success, 1000), (.invalidToken, 100)], true), ([(.success, 1000), (.invalidToken, 101)], false),
            ([(.invalidToken, 1000), (.success, 99)], false), ([(.invalidToken, 1000), (.success, 100)], true),
        ] as [([(InvalidTokenGuard.Answer, Int)], Bool)])
    func mayRemove(answers: [(InvalidTokenGuard.Answer, Int)], expected: Bool) {
        #expect(guarding(answers).mayRemove == expected)
    }
}
