/// Which site or app asked: domain, URI and scheme together name it.
public struct AppMetadata: Hashable, Sendable, Codable {
    /// The longest domain in bytes.
    public static let maximumDomainBytes = 253
    /// The longest URI in bytes.
    public static let maximumURIBytes = 2_048
    /// The longest scheme in bytes.
    public static let maximumSchemeBytes = 64

    /// Such as `example.com`; at least one byte.
    public let domain: String
    /// Such as `https://example.com/app`; may be empty.
    public let uri: String
    /// Such as `https`, or an app's own; may be empty.
    public let scheme: String

    /// Takes the three as they are; domain and scheme are compared and shown in lower case.
    public init(domain: String, uri: String, scheme: String) {
        self.domain = domain.lowercased()
        self.uri = uri
        self.scheme = scheme.lowercased()
    }
}

extension AppMetadata {
    func check() throws(StoreError) {
        _ = try Checked.text(domain, "domain", 1...AppMetadata.maximumDomainBytes)
        _ = try Checked.text(uri, "uri", 0...AppMetadata.maximumURIBytes)
        _ = try Checked.text(scheme, "scheme", 0...AppMetadata.maximumSchemeBytes)
    }

    /// From a row of a left join: domain, uri, scheme; nil where nothing was joined.
    init?(row: borrowing SQLiteStatement, at column: Int32) throws(StoreError) {
        guard let domain = row.optionalText(column) else { return nil }
        self.init(domain: domain, uri: try row.text(column + 1), scheme: try row.text(column + 2))
    }
}

extension SQLiteConnection {
    /// The id of these three in the table of apps, where they are once; nil when they are not.
    func find(_ app: AppMetadata) throws(StoreError) -> Int64? {
        try integer(
            "SELECT id FROM apps WHERE domain = ? AND uri = ? AND scheme = ?",
            [.text(app.domain), .text(app.uri), .text(app.scheme)])
    }

    /// The same, adding them when they are not there.
    func findOrInsert(_ app: AppMetadata) throws(StoreError) -> Int64 {
        if let id = try find(app) { return id }
        try run(
            "INSERT INTO apps (domain, uri, scheme) VALUES (?, ?, ?)",
            [.text(app.domain), .text(app.uri), .text(app.scheme)])
        return lastInsertedRow
    }

    /// Removes the apps that nothing speaks of any more.
    func removeUnusedApps() throws(StoreError) {
        try run(
            """
            DELETE FROM apps WHERE id NOT IN (SELECT app FROM sent_transactions WHERE app IS NOT NULL
            UNION SELECT app FROM signatures WHERE app IS NOT NULL
            UNION SELECT app FROM connections WHERE app IS NOT NULL)
            """)
    }
}
