extension String {
    /// Without white space at both ends, scalar by scalar as the service trims what signatures cover.
    var trimmed: String {
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(self[start..<scalars.index(after: end)])
    }
}
