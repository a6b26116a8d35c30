import Foundation
import PostgresServer

/// Where the cluster's members live, and what they are made of.
struct PatroniFolder: Sendable {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    let installation: PostgresInstallation
    /// It ends all that runs in it when it goes.
    private let folder: ServerFolder

    /// In memory where there is some.
    ///
    /// Python's packages are copied there: their user may not see where they are.
    init() throws {
        installation = try PostgresInstallation.find()
        folder = try ServerFolder(owner: installation.owner, isInMemory: true)
        let environment = Self.repository.appendingPathComponent(".build/python/Cluster/lib")
        let versions = try FileManager.default.contentsOfDirectory(atPath: environment.path)
        guard let version = versions.first(where: { $0.hasPrefix("python3") }) else {
            throw PatroniError("\(environment.path) is empty: run Tests/python.sh Cluster")
        }
        for (source, name) in [
            (environment.appendingPathComponent("\(version)/site-packages").path, "python"),
            (JumpingClock.library.path, "libClockShift.so"),
            (Self.repository.appendingPathComponent("deploy/cluster/create-store.sh").path, "create-store"),
        ] {
            try Command.run(["cp", "-r", source, "\(folder.path)/\(name)"])
        }
        try Command.run(["chmod", "755", folder.path, "\(folder.path)/create-store"])
    }

    var clockLibrary: String { "\(folder.path)/libClockShift.so" }

    /// Ends all that runs in it.
    func clear() { folder.clear() }

    func makeFolder(_ name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard chown(path, installation.owner.user, installation.owner.group) == 0 else {
            throw PatroniError("\(path) cannot be given to PostgreSQL's user")
        }
        return path
    }

    /// Writes `deploy/cluster/patroni.yaml` with this member's places; all else is as it is shipped, but for the disk:
    /// a process that is killed loses nothing without `fsync`.
    func writeConfiguration(for member: PatroniMember, etcd: [UInt16], _ place: String) throws -> String {
        let file = Self.repository.appendingPathComponent("deploy/cluster/patroni.yaml")
        var text = try String(contentsOf: file, encoding: .utf8)
        let hosts = etcd.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        for (shipped, own) in [
            ("hosts: etcd1:2379,etcd2:2379,etcd3:2379", "hosts: \(hosts)\n  use_proxies: true"),
            ("/usr/local/bin/create-store", "\(folder.path)/create-store"),
            ("/usr/lib/postgresql/15/bin", installation.programs),
            ("unix_socket_directories: /var/run/postgresql", "unix_socket_directories: \(place)"),
            ("fsync: \"on\"", "fsync: \"off\""), ("max_wal_size: 6GB", "max_wal_size: 256MB"),
        ] {
            guard text.contains(shipped) else { throw PatroniError("\(file.path) has no \(shipped)") }
            text = text.replacing(shipped, with: own)
        }
        let path = "\(place)/patroni.yaml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Starts a program as PostgreSQL's user, in a folder of its own, whose file `log` has what it writes.
    func start(_ arguments: [String], in place: String, _ environment: [String: String]) throws -> pid_t {
        let log = open("\(place)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(log)
            close(nothing)
        }
        let variables = environment.merging(["PYTHONPATH": "\(folder.path)/python", "HOME": place]) { $1 }
        return try Command.start(
            ["env", "-C", place] + installation.asUser + arguments,
            environment: variables.map { "\($0)=\($1)" }, input: nothing, output: log)
    }

    func log(in place: String) -> String {
        String(decoding: (FileManager.default.contents(atPath: "\(place)/log") ?? Data()).suffix(20_000), as: UTF8.self)
    }
}

/// Why there is no cluster.
struct PatroniError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
