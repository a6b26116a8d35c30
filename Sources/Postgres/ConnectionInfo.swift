import CLibpq

/// A connection URL taken apart: its options, and which of them each host has of its own.
struct ConnectionInfo {
    /// Options by libpq's keywords; of the environment's, those that say where the hosts are.
    private(set) var options: [String: String]
    /// For each host its `host`, `hostaddr` and `port`; empty options where libpq is to find the host itself.
    let hosts: [[String: String]]

    /// Reads a URI or a conninfo string.
    ///
    /// - Throws: `connection` when libpq cannot read it. The message quotes nothing of it: a password that is not
    ///   percent-encoded may be anywhere.
    init(_ url: String) throws(PostgresError) {
        var words: UnsafeMutablePointer<CChar>?
        guard let list = PQconninfoParse(url, &words) else {
            let reason = words.map { String(cString: $0) } ?? "out of memory"
            PQfreemem(words)
            throw PostgresError(.connection, "The connection URL cannot be read: \(Self.withoutQuotes(reason))")
        }
        options = Self.options(of: list)
        let defaults = options["service"] == nil ? PQconndefaults().map(Self.options(of:)) ?? [:] : [:]
        for key in ["host", "hostaddr", "port"] where options[key] == nil {
            options[key] = defaults[key]
        }
        let names = Self.list(options["host"])
        let addresses = Self.list(options["hostaddr"])
        let ports = Self.list(options["port"])
        let count = max(names.count, addresses.count)
        guard names.isEmpty || addresses.isEmpty || names.count == addresses.count,
            ports.count <= 1 || ports.count == count
        else {
            throw PostgresError(.connection, "The connection URL has unequal numbers of hosts, addresses and ports.")
        }
        guard ports.allSatisfy({ $0.isEmpty || UInt16($0) != nil }) else {
            throw PostgresError(.connection, "The connection URL has a port that is not a number up to 65535.")
        }
        if count == 0 {
            hosts = [[:]]
        } else {
            hosts = (0..<count).map { index in
                var own: [String: String] = [:]
                own["host"] = names.isEmpty ? nil : names[index]
                own["hostaddr"] = addresses.isEmpty ? nil : addresses[index]
                own["port"] = ports.count == 1 ? ports[0] : ports.isEmpty ? nil : ports[index]
                return own
            }
        }
    }

    /// Hosts with their ports, database and user.
    var target: String {
        let places = hosts.map { Self.name(of: $0) }.joined(separator: ",")
        let database = options["dbname"].map { ", database \($0)" } ?? ""
        let user = options["user"].map { ", user \($0)" } ?? ""
        return places + database + user
    }

    /// A host and its port, for people.
    static func name(of host: [String: String]) -> String {
        let names = [host["host"], host["hostaddr"]].compactMap { $0 }.filter { !$0.isEmpty }
        let port = host["port"].flatMap { $0.isEmpty ? nil : ":\($0)" } ?? ""
        return (names.first ?? "the default host") + port
    }

    /// Copies the options that have a value, and frees libpq's list.
    private static func options(of list: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        defer { PQconninfoFree(list) }
        var options: [String: String] = [:]
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return options
    }

    private static func list(_ value: String?) -> [String] {
        value?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    /// Replaces all from the first quotation mark to the last: libpq quotes pieces of the URL.
    private static func withoutQuotes(_ text: String) -> String {
        guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\"") else { return text }
        return text[...first] + "…" + text[last...]
    }
}
