extension String {
    /// Its beginning: at most so many characters and bytes of UTF-8, whole Unicode scalars.
    ///
    /// A character can have any number of scalars, so a limit in characters alone is none.
    func cut(toCharacters characters: Int, bytes: Int) -> String {
        guard utf8.count > bytes || count > characters else { return self }
        var length = 0
        var kept = UnicodeScalarView()
        for scalar in unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= bytes else { break }
            kept.append(scalar)
        }
        return String(String(kept).prefix(characters))
    }
}
