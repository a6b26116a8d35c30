/// Where a value comes from.
enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// An environment variable, by its name.
    case environment(String)
    /// A line of the file.
    case file(path: String, line: Int)
    /// Neither: the default.
    case unset

    var description: String {
        switch self {
        case .environment(let name): "environment \(name)"
        case .file(let path, let line): "\(path) line \(line)"
        case .unset: "not set"
        }
    }
}
