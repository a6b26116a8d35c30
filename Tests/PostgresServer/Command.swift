import FoundationEssentials
package import Glibc

/// Programs run by `posix_spawn`, each in a process group of its own and without our descriptors.
package enum Command {
    /// Starts a program with standard input, output and error on these descriptors; returns its process id.
    ///
    /// A terminal's interrupt does not reach it: whoever starts it ends it.
    package static func start(
        _ arguments: [String], environment: [String] = [], input: Int32, output: Int32
    ) throws(PostgresServerError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        // A server that inherits another's pipe keeps its reader waiting.
        let ours = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in ours.compactMap({ Int32($0) }) where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))

        let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let words = arguments.map { strdup($0) }
        let variables = (environment + ["PATH=\(search)", "LC_ALL=C", "TZ=UTC"]).map { strdup($0) }
        defer { (words + variables).forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, arguments[0], &actions, &attributes, words + [nil], variables + [nil])
        guard code == 0 else {
            throw PostgresServerError("\(arguments[0]) cannot be started: \(String(cString: strerror(code)))")
        }
        return process
    }

    /// Runs a program to its end and returns what it wrote.
    ///
    /// - Throws: what it wrote, when it did not succeed.
    @discardableResult
    package static func run(_ arguments: [String], environment: [String] = []) throws(PostgresServerError) -> String {
        let (reading, writing) = pipe()
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(reading)
            close(nothing)
        }
        let process: pid_t
        do {
            defer { close(writing) }
            process = try start(arguments, environment: environment, input: nothing, output: writing)
        }
        var written: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(reading, &buffer, buffer.count)
            if count > 0 { written += buffer[..<count] } else if count == 0 || errno != EINTR { break }
        }
        let text = String(decoding: written, as: UTF8.self)
        guard wait(for: process) == 0 else {
            throw PostgresServerError("\(arguments.joined(separator: " ")) failed: \(text)")
        }
        return text
    }

    /// Waits for a child's end and returns its wait status: 0 is success.
    @discardableResult
    package static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        return status
    }

    /// Whether a child has ended; it is reaped then.
    package static func hasEnded(_ process: pid_t) -> Bool {
        waitpid(process, nil, WNOHANG) != 0
    }

    /// Both ends of a pipe that no other child inherits.
    package static func pipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0, "no descriptors left")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
