import Glibc
import Synchronization

extension PostgresServer {
    private static let count = Atomic<Int>(0)

    /// Makes a database with a name of its own, and returns that.
    ///
    /// A template is a database to copy, to which nobody is connected; without one, the new database is empty.
    public func makeDatabase(template: String? = nil) throws -> String {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        let name = "test_\(getpid())_\(number)"
        try run("create database \(name) template \(Self.quoted(template ?? "template0"))")
        return name
    }

    /// Removes a database and throws its clients out.
    ///
    /// A failure is of no matter: all goes with the server.
    public func dropDatabase(_ name: String) {
        _ = try? run("drop database if exists \(Self.quoted(name)) with (force)")
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }
}
