/// Reads settings one by one, from the environment before the file, and collects mistakes.
struct SettingsReader {
    private let environment: [String: String]
    private let file: ConfigurationFile?
    /// The mistakes so far, in the order of reading.
    private(set) var problems: [ConfigurationProblem]

    /// - Parameters:
    ///   - environment: The environment's variables, which win.
    ///   - file: The file, if there is one; its problems come first.
    init(environment: [String: String], file: ConfigurationFile?) {
        self.environment = environment
        self.file = file
        self.problems = file?.problems ?? []
    }

    /// Replaces a default by the value that is set.
    ///
    /// If it is not allowed, keeps the default and records a problem.
    mutating func update<Value>(_ value: inout Value, from key: ConfigurationKey, as rule: SettingRule<Value>) {
        guard let text = text(of: key) else { return }
        if let parsed = rule.parse(text) {
            value = parsed
        } else {
            reject(key, text, rule)
        }
    }

    /// Replaces the default of a key that may have no value.
    ///
    /// An empty text is no value.
    mutating func update<Value>(_ value: inout Value?, from key: ConfigurationKey, as rule: SettingRule<Value>) {
        guard let text = text(of: key) else { return }
        if let parsed = rule.parse(text) {
            value = parsed
        } else if text.isEmpty {
            value = nil
        } else {
            reject(key, text, rule)
        }
    }

    /// Replaces a default list.
    ///
    /// Each item that is not allowed is a problem of its own. An empty text is an empty list. `count` is the allowed
    /// number of items.
    mutating func update<Value>(
        _ values: inout [Value], from key: ConfigurationKey, each rule: SettingRule<Value>, count: ClosedRange<Int>
    ) {
        guard let text = text(of: key) else { return }
        let items = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
        guard count.contains(items.count) else {
            reject(key, text, allowed: "\(count.lowerBound) to \(count.upperBound) items, each: \(rule.allowed)")
            return
        }
        var parsed: [Value] = []
        for item in items {
            if let value = rule.parse(item) {
                parsed.append(value)
            } else {
                reject(key, item, rule)
            }
        }
        if parsed.count == items.count { values = parsed }
    }

    private mutating func reject<Value>(_ key: ConfigurationKey, _ value: String, _ rule: SettingRule<Value>) {
        problems.append(
            ConfigurationProblem(
                key, from: origin(of: key), value: value, allowed: rule.allowed, complaint: rule.complaint(value)))
    }

    /// Records that a key's value is not allowed.
    mutating func reject(_ key: ConfigurationKey, _ value: String, allowed: String) {
        problems.append(ConfigurationProblem(key, from: origin(of: key), value: value, allowed: allowed))
    }

    /// Records a problem between several keys.
    mutating func report(_ key: ConfigurationKey, _ text: String) {
        problems.append(ConfigurationProblem(subject: "\(key.rawValue) (\(origin(of: key)))", text: text))
    }

    /// Whether the key has a value that is not empty, allowed or not.
    func isSet(_ key: ConfigurationKey) -> Bool {
        text(of: key)?.isEmpty == false
    }

    private func text(of key: ConfigurationKey) -> String? {
        (environment[key.environmentName] ?? file?.text(of: key)).map { Self.trimmed($0) }
    }

    /// The origin of a key's value.
    func origin(of key: ConfigurationKey) -> SettingOrigin {
        if environment[key.environmentName] != nil { return .environment(key.environmentName) }
        return file?.origin(of: key) ?? .unset
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
