/// The active rules and the random numbers for their chances.
///
/// It is a value that its owner keeps under a lock.
struct RuleBook: Sendable {
    /// A rule and the number of its hits.
    struct Entry: Sendable {
        var rule: SandboxRule
        var hits = 0
    }

    private var general: [Entry] = []
    private var byToken: [String: [Entry]] = [:]
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// The rules, those for all devices first.
    var entries: [Entry] { general + byToken.values.joined() }

    mutating func reseed(_ seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func add(_ rule: SandboxRule) {
        if let times = rule.times, times < 1 { return }
        if let token = rule.token {
            byToken[token, default: []].append(Entry(rule: rule))
        } else {
            general.append(Entry(rule: rule))
        }
    }

    /// Removes the rules called `name`.
    ///
    /// Returns how many there were.
    mutating func remove(named name: String) -> Int {
        let before = entries.count
        general.removeAll { $0.rule.name == name }
        byToken = byToken.compactMapValues { entries in
            let rest = entries.filter { $0.rule.name != name }
            return rest.isEmpty ? nil : rest
        }
        return before - entries.count
    }

    mutating func removeAll() {
        general = []
        byToken = [:]
    }

    /// The rule that hits a request to `token` at a host (nil for a port that stands in for both) of a carrier.
    ///
    /// Counts the hit.
    mutating func strike(
        _ token: String, at environment: SandboxEnvironment? = nil, of carrier: SandboxCarrier = .apns
    ) -> SandboxRule? {
        if byToken.isEmpty && general.isEmpty { return nil }
        let token = token.lowercased()
        if var entries = byToken[token] {
            let rule = Self.strike(&entries, environment, carrier, &random)
            byToken[token] = entries.isEmpty ? nil : entries
            if let rule { return rule }
        }
        return Self.strike(&general, environment, carrier, &random)
    }

    private static func strike(
        _ entries: inout [Entry], _ environment: SandboxEnvironment?, _ carrier: SandboxCarrier,
        _ random: inout SplitMix64
    ) -> SandboxRule? {
        for index in entries.indices {
            if let meant = entries[index].rule.environment, meant != environment { continue }
            guard entries[index].rule.carrier.map({ $0 == carrier }) ?? carrier.carriesNotifications else { continue }
            if entries[index].rule.skip > 0 {
                entries[index].rule.skip -= 1
                continue
            }
            let rule = entries[index].rule
            if rule.chance < 1, Double.random(in: 0..<1, using: &random) >= rule.chance { continue }
            entries[index].hits += 1
            if let times = rule.times {
                entries[index].rule.times = times - 1
                if times <= 1 { entries.remove(at: index) }
            }
            return rule
        }
        return nil
    }
}

/// A small seeded generator (Steele, Lea and Flood, 2014), so that the same seed hits the same requests.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
