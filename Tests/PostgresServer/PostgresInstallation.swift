import FoundationEssentials
package import Glibc

/// PostgreSQL's programs on this machine, and the user that they run as.
package struct PostgresInstallation {
    /// The folder with `initdb`, `postgres` and `psql`.
    package let programs: String
    /// The major version.
    package let version: Int
    /// What stands before a command to run it unprivileged: nothing, unless we are root.
    package let asUser: [String]
    /// Whom the server's files belong to.
    package let owner: (user: uid_t, group: gid_t)

    /// The newest of Debian's versions, else what is in `PATH`.
    package static func find() throws(PostgresServerError) -> PostgresInstallation {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        let search = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
        let folders = versions.sorted(by: >).map { "\(root)/\($0)/bin" } + search
        let needed = ["initdb", "postgres", "psql", "pg_isready"]
        guard
            let programs = folders.first(where: { folder in
                needed.allSatisfy { access("\(folder)/\($0)", X_OK) == 0 }
            })
        else {
            throw PostgresServerError(
                "PostgreSQL is not installed: no folder has \(needed.joined(separator: ", ")). "
                    + "On Debian and Ubuntu, install the package postgresql.")
        }
        // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
        let words = try Command.run(["\(programs)/postgres", "--version"]).split(separator: " ")
        guard words.count >= 3, let version = Int(words[2].prefix { $0.isNumber }) else {
            throw PostgresServerError("\(programs)/postgres does not tell its version.")
        }
        guard getuid() == 0 else {
            return PostgresInstallation(programs: programs, version: version, asUser: [], owner: (getuid(), getgid()))
        }
        // initdb and postgres refuse to run as root.
        guard let user = getpwnam("postgres") ?? getpwnam("nobody") else {
            throw PostgresServerError("There is no user postgres and no user nobody to run PostgreSQL as.")
        }
        let owner = (user: user.pointee.pw_uid, group: user.pointee.pw_gid)
        return PostgresInstallation(
            programs: programs, version: version,
            asUser: ["setpriv", "--reuid=\(owner.user)", "--regid=\(owner.group)", "--clear-groups"], owner: owner)
    }
}
