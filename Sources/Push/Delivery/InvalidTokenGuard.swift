/// Prevents a wrong configuration from emptying the registry.
///
/// With the wrong host, topic or project, a carrier calls every token invalid. This remembers the last answers and says whether
/// "invalid token" may remove devices.
struct InvalidTokenGuard {
    static let window = 200

    private var answers: [Bool?] = []
    private var next = 0

    enum Answer { case success, invalidToken, other }

    mutating func record(_ answer: Answer) {
        let value: Bool? =
            switch answer {
            case .success: true
            case .invalidToken: false
            case .other: nil
            }
        if answers.count < InvalidTokenGuard.window {
            answers.append(value)
        } else {
            answers[next] = value
        }
        next = (next + 1) % InvalidTokenGuard.window
    }

    /// True while the last 200 answers hold at least one success and at most half of them are "invalid token".
    var mayRemove: Bool {
        let invalid = answers.count { $0 == false }
        return answers.contains(true) && invalid * 2 <= answers.count
    }
}
