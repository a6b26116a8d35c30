/// A secret that the operator gives by a file or as text.
struct Credential: Sendable, Equatable {
    let text: Secret
    /// The file that it came from; nil if it was given as text.
    let path: String?
}

extension SettingsReader {
    /// Reads a credential of which a file or the text is set, but not both; nil if neither is, or for a mistake.
    ///
    /// Each key comes with what is allowed. `parse` returns nil for a text that is not allowed, and `complaint` its
    /// mistake without repeating it; more than `limit` bytes of a file are not read.
    mutating func credential(
        file: (key: ConfigurationKey, allowed: String), text: (key: ConfigurationKey, allowed: String), limit: Int,
        complaint: @escaping @Sendable (String) -> String?, parse: @escaping @Sendable (String) -> Secret?
    ) -> Credential? {
        if isSet(file.key), isSet(text.key) {
            report(
                file.key, "\(file.key.rawValue) and \(text.key.rawValue) are both set; allowed: one of them")
            return nil
        }
        var fromFile: Credential?
        var fromText: Credential?
        update(
            &fromFile, from: file.key,
            as: .credentialFile(allowed: file.allowed, limit: limit, complaint: complaint, parse: parse))
        update(
            &fromText, from: text.key,
            as: SettingRule(
                allowed: text.allowed, complaint: complaint,
                parse: { parse($0).map { Credential(text: $0, path: nil) } }))
        return fromFile ?? fromText
    }
}

extension SettingRule where Value == Credential {
    /// A file with a credential, of which no more than `limit` bytes are read.
    ///
    /// `parse` returns nil for a text that is not allowed, and `complaint` its mistake without repeating it.
    static func credentialFile(
        allowed: String, limit: Int, complaint: @escaping @Sendable (String) -> String?,
        parse: @escaping @Sendable (String) -> Secret?
    ) -> Self {
        Self(
            allowed: allowed,
            complaint: { path in
                do {
                    return complaint(try SmallFile.text(at: path, limit: limit))
                } catch {
                    return "\(error)"
                }
            },
            parse: { path in
                guard let text = try? SmallFile.text(at: path, limit: limit) else { return nil }
                return parse(text).map { Credential(text: $0, path: path) }
            })
    }
}
