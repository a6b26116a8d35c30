import API

extension TracedConfiguration {
    /// The configuration as a file, each value followed by where it comes from; secrets masked, keys without a value
    /// empty.
    var yaml: String {
        var text = ""
        var section = ""
        for (key, value) in configuration.settings {
            let name = key.components
            if name[0] != section {
                section = name[0]
                text += "\(text.isEmpty ? "" : "\n")\(section):\n"
            }
            let start = "  \(name[1]):" + (value.isEmpty ? "" : " " + Self.quoted(value))
            text += "\(start)  # \(Self.origin(origins[key] ?? .unset))\n"
        }
        return text
    }

    private static func origin(_ origin: SettingOrigin) -> String {
        origin == .unset ? "default" : String("\(origin)".map { $0.isNewline ? " " : $0 })
    }

    /// As it is if YAML cannot take it for anything but a text or a number, else in quotation marks.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { $0.isNameByte || "./".utf8.contains($0) } && value.utf8.first != 0x2D
        return isPlain ? value : JSONText.quoted(value)
    }
}
