extension SandboxScript: Decodable {
    /// Decodes the JSON form.
    ///
    /// Use `init(json:)` for readable errors.
    public init(from decoder: any Decoder) throws {
        let object = try StrictObject(
            decoder,
            keys: ["seed", "clear", "rules", "tokens", "maximum_streams", "go_away", "close_connections", "refuse"])
        self.init(rules: try object.value([SandboxRule].self, "rules") ?? [])
        seed = try object.whole(UInt64.self, "seed")
        clearsRules = try object.flag("clear")
        tokens = try object.value([SandboxToken].self, "tokens") ?? []
        maximumStreams = try object.integer("maximum_streams", 0...Self.largestStreamLimit)
        goAway = try object.value(SandboxGoAway.self, "go_away")
        closesConnections = try object.flag("close_connections")
        refusal = try object.value(SandboxRefusal.self, "refuse")
    }

    /// HTTP/2 allows 2^32-1.
    ///
    /// A value above this is taken for a mistake.
    static let largestStreamLimit = 1_000_000
    /// The longest delay, seconds.
    ///
    /// Use `silence` for a longer one.
    static let longestDelaySeconds: Double = 3600
    /// The longest refusal, seconds.
    ///
    /// It must end by itself, since it refuses the control endpoint's clients too.
    static let longestRefusalSeconds: Double = 86_400
}

extension SandboxRule: Decodable {
    /// Decodes one rule of a script.
    public init(from decoder: any Decoder) throws {
        let object = try StrictObject(
            decoder,
            keys: ["name", "token", "environment", "carrier", "chance", "skip", "times", "delay", "delivered"]
                + SandboxEffect.keys)
        self.init(
            try SandboxEffect(object), name: try object.value(String.self, "name"),
            token: try object.value(String.self, "token"),
            environment: try object.word(SandboxEnvironment.self, "environment"),
            carrier: try object.word(SandboxCarrier.self, "carrier"),
            chance: try object.number("chance", 0...1) ?? 1,
            skip: try object.integer("skip", 0...Int(Int32.max)) ?? 0,
            times: try object.integer("times", 1...Int(Int32.max)),
            delay: try object.duration("delay", upTo: SandboxScript.longestDelaySeconds) ?? .zero,
            delivered: try object.flag("delivered"))
    }
}

extension SandboxToken: Decodable {
    private enum Place: String, CaseIterable {
        case development, production, both
    }

    /// Decodes one token of a script.
    public init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, keys: ["token", "good_at"])
        guard let token = try object.value(String.self, "token") else { throw object.error("lacks the key token") }
        guard let place = try object.word(Place.self, "good_at") else { throw object.error("lacks the key good_at") }
        self.init(token, goodAt: SandboxEnvironment(rawValue: place.rawValue))
    }
}

extension SandboxEffect {
    static let keys = ["answer", "silence", "reset", "half_body", "go_away", "close"]

    init(_ object: StrictObject) throws {
        let present = Self.keys.filter { object.has($0) }
        guard present.count < 2 else {
            throw object.error("has \(present.joined(separator: " and ")), of which only one can happen")
        }
        switch present.first {
        case "answer": self = .answer(try object.value(SandboxAnswer.self, "answer") ?? SandboxAnswer(status: 200))
        case "silence": self = try object.flag("silence") ? .silence : .accept
        case "reset": self = .resetStream(errorCode: UInt32(try object.integer("reset", 0...Int(UInt32.max)) ?? 0))
        case "half_body": self = try object.value(HalfBody.self, "half_body")?.effect ?? .accept
        case "go_away": self = .goAway(try object.value(SandboxGoAway.self, "go_away") ?? SandboxGoAway())
        case "close": self = try object.flag("close") ? .closeConnection : .accept
        default: self = .accept
        }
    }

    /// An answer with an ending.
    private struct HalfBody: Decodable {
        let effect: SandboxEffect

        init(from decoder: any Decoder) throws {
            let object = try StrictObject(decoder, keys: SandboxAnswer.keys + ["then"])
            let ending = try object.word(HalfBodyEnding.self, "then") ?? .reset
            effect = .halfBody(try SandboxAnswer(object), ending: ending)
        }
    }
}

extension SandboxAnswer: Decodable {
    static let keys = ["status", "reason", "timestamp", "retry_after", "retry_after_date", "field", "body"]

    /// Decodes the answer of a rule.
    public init(from decoder: any Decoder) throws {
        try self.init(StrictObject(decoder, keys: Self.keys))
    }

    fileprivate init(_ object: StrictObject) throws {
        guard let status = try object.integer("status", 200...599) else { throw object.error("lacks the key status") }
        if object.has("retry_after"), object.has("retry_after_date") {
            throw object.error("has retry_after and retry_after_date, of which only one can be sent")
        }
        let day = 0...86_400
        var retryAfter = try object.integer("retry_after", day).map(RetryAfter.seconds)
        if let seconds = try object.integer("retry_after_date", day) { retryAfter = .date(secondsFromNow: seconds) }
        self.init(
            status: status, reason: try object.value(String.self, "reason"),
            timestampMilliseconds: try object.whole(UInt64.self, "timestamp"), retryAfter: retryAfter,
            field: try object.value(String.self, "field"), body: try object.value(String.self, "body"))
    }
}

extension SandboxGoAway: Decodable {
    /// Decodes the GOAWAY of a rule or of a script.
    public init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, keys: ["last_stream", "error", "debug", "keep_open"])
        self.init(
            lastStream: try Self.lastStream(object),
            errorCode: UInt32(try object.integer("error", 0...Int(UInt32.max)) ?? 0),
            debugData: try object.value(String.self, "debug"), closesConnection: try !object.flag("keep_open"))
    }

    private static func lastStream(_ object: StrictObject) throws -> LastStream {
        if let id = try? object.value(Int.self, "last_stream") {
            _ = try object.integer("last_stream", 0...Int(Int32.max))
            return .stream(id)
        }
        switch try? object.value(String.self, "last_stream") {
        case "all": return .all
        case "newest": return .newest
        case "answered": return .answered
        case nil where !object.has("last_stream"): return .answered
        default: throw object.error("last_stream", "must be all, newest, answered or a stream id")
        }
    }
}

extension SandboxRefusal: Decodable {
    /// Decodes the refusal of a script.
    public init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, keys: ["seconds", "by"])
        guard let duration = try object.duration("seconds", upTo: SandboxScript.longestRefusalSeconds) else {
            throw object.error("lacks the key seconds")
        }
        self.init(for: duration, by: try object.word(Manner.self, "by") ?? .close)
    }
}
