import Yams

/// The YAML file: sections of keys, each with a value or a list.
struct ConfigurationFile: Sendable {
    /// The largest file, in bytes.
    ///
    /// A configuration has some forty lines.
    static let maximumBytes = 1 << 20

    private struct Entry {
        let text: String
        let line: Int
    }

    /// The path as the operator wrote it, for messages.
    let path: String
    /// Mistakes of structure: unknown keys, and values that should be lists or sections.
    private(set) var problems: [ConfigurationProblem] = []
    private var entries: [ConfigurationKey: Entry] = [:]

    /// Reads and parses a file.
    ///
    /// - Throws: The reason if the file cannot be read.
    static func read(_ path: String) throws(SmallFile.Failure) -> ConfigurationFile {
        ConfigurationFile(path: path, yaml: try SmallFile.text(at: path, limit: maximumBytes))
    }

    /// Parses the text of a file.
    ///
    /// Mistakes are in ``problems``.
    init(path: String, yaml: String) {
        self.path = path
        do {
            // A file with only comments has no root.
            guard let root = try Parser(yaml: yaml).singleRoot(), !root.isNothing else { return }
            guard let sections = root.mapping else {
                report(root, "wants sections: \(ConfigurationKey.sections.joined(separator: ", "))")
                return
            }
            for (name, section) in sections { add(section, named: name) }
        } catch let error as YamlError {
            problems = [ConfigurationProblem(subject: path, text: "is not valid YAML: \(error.oneLine)")]
        } catch {
            problems = [ConfigurationProblem(subject: path, text: "is not valid YAML")]
        }
    }

    /// The key's value, a list joined by commas as in the environment; nil if it has none here.
    func text(of key: ConfigurationKey) -> String? { entries[key]?.text }

    /// The position of the key's value; nil if it has none here.
    func origin(of key: ConfigurationKey) -> SettingOrigin? {
        entries[key].map { .file(path: path, line: $0.line) }
    }

    private mutating func add(_ section: Node, named name: Node) {
        guard let title = name.scalar?.string, ConfigurationKey.sections.contains(title) else {
            report(
                name, "unknown section \(name.quoted); known: \(ConfigurationKey.sections.joined(separator: ", "))")
            return
        }
        // All keys of a section may be commented out.
        if section.isNothing { return }
        let known = ConfigurationKey.names(in: title).joined(separator: ", ")
        guard let pairs = section.mapping else {
            report(section, "\(title) wants a section with the keys \(known)")
            return
        }
        for (name, value) in pairs {
            guard let last = name.scalar?.string, let key = ConfigurationKey(rawValue: "\(title).\(last)") else {
                report(name, "unknown key \(name.quoted(in: title)); known in \(title): \(known)")
                continue
            }
            add(value, for: key)
        }
    }

    /// Adds a key.
    ///
    /// One without a value counts as not set.
    private mutating func add(_ value: Node, for key: ConfigurationKey) {
        if value.isNothing { return }
        if let scalar = value.scalar {
            entries[key] = Entry(text: scalar.string, line: value.line)
        } else if key.isList, let items = value.sequence.map({ $0.map(\.scalar?.string) }), !items.contains(nil) {
            entries[key] = Entry(text: items.compactMap { $0 }.joined(separator: ","), line: value.line)
        } else {
            report(value, "\(key.rawValue) wants \(key.isList ? "a value or a list of values" : "one value")")
        }
    }

    private mutating func report(_ node: Node, _ text: String) {
        problems.append(ConfigurationProblem(subject: "\(path) line \(node.line)", text: text))
    }
}

extension Node {
    fileprivate var line: Int { mark?.line ?? 1 }

    /// YAML's null: an empty plain value, `~` or `null`.
    fileprivate var isNothing: Bool {
        guard let scalar, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    fileprivate var quoted: String {
        "\"\(ConfigurationProblem.oneLine(scalar?.string ?? "…"))\""
    }

    fileprivate func quoted(in section: String) -> String {
        "\"\(section).\(ConfigurationProblem.oneLine(scalar?.string ?? "…"))\""
    }
}

extension YamlError {
    /// The error and its position, without the surrounding text, which may hold a secret.
    fileprivate var oneLine: String {
        switch self {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "line \(mark.line): \(ConfigurationProblem.oneLine(problem))"
        case .reader(let problem, _, _, _):
            ConfigurationProblem.oneLine(problem)
        case .duplicatedKeysInMapping(let duplicates, let context):
            "line \(context.mark.line): these keys come twice: "
                + ConfigurationProblem.oneLine(duplicates.sorted().joined(separator: ", "))
        default:
            "it cannot be parsed"
        }
    }
}
