/// What Apple's stand-in does wrong, and when.
///
/// Nothing of it makes an answer that was given get lost: then a second
/// sending would be right.
struct DayTroubles {
    private static let throttledEachHour = 10

    private let control: SandboxControl
    private let residents: [DayDevice]
    private var rules: [String] = []

    init(_ control: SandboxControl, cast: DayCast) throws {
        self.control = control
        residents = cast.residents
        // The time is far ahead, so that registering again does not help.
        let answer = #"{"status": 410, "reason": "Unregistered", "timestamp": 4000000000000}"#
        let rules = cast.gone.map { #"{"token": "\#($0.token)", "answer": \#(answer)}"# }
        try control.apply("{\"rules\": [\(rules.joined(separator: ","))]}")
    }

    /// Begins what belongs to an hour, and ends what belonged to the one before.
    mutating func begin(hour: Int) throws {
        for name in rules { try control.removeRules(named: name) }
        rules = []
        // Other devices each hour are sent too much; each of them only a few times, or its pauses would outlive the day.
        let answer = #"{"status": 429, "reason": "TooManyRequests", "retry_after": 1}"#
        let throttled = (0..<Self.throttledEachHour).map {
            residents[(hour * Self.throttledEachHour + $0) % residents.count]
        }
        let new = throttled.map { #"{"token": "\#($0.token)", "times": 2, "answer": \#(answer)}"# }
        try control.apply("{\"rules\": [\(new.joined(separator: ","))]}")
        switch hour % 24 {
        case 5, 16:
            try add(#""chance": 0.3, "answer": {"status": 503, "reason": "ServiceUnavailable", "retry_after": 1}"#)
        case 9: try add(#""chance": 0.2, "answer": {"status": 500, "reason": "InternalServerError"}"#)
        case 11: try add(#""chance": 0.05, "reset": 7"#)
        case 13: try add(#""chance": 0.2, "delay": 2"#)
        case 3, 7, 15, 19, 22: try control.apply(#"{"go_away": {}}"#)
        default: break
        }
    }

    private mutating func add(_ rule: String) throws {
        rules.append("unwell")
        try control.apply("{\"rules\": [{\"name\": \"unwell\", \(rule)}]}")
    }
}
