import FoundationEssentials
package import Glibc
import Synchronization

/// A server's temporary folder, and the shell that clears up after it.
///
/// The shell reads a pipe that only this process can write to. When that ends, by `deinit` or by this process's end of
/// whatever kind, it ends all that runs in the folder, paused processes included, and removes it.
/// (A death signal would not do: it comes when the thread that started the server ends, and wakes nothing paused.)
package final class ServerFolder: Sendable {
    /// A short path, as a socket's path has 107 bytes at most.
    package let path: String
    private let shell: pid_t
    /// The pipe's end that keeps the shell waiting; nil when it was told to clear up.
    private let lifeline: Mutex<Int32?>

    private static let memoryNeeded: UInt = 4 << 30

    /// Where the database cluster is.
    var data: String { "\(path)/data" }
    /// What the server wrote.
    var log: String { "\(path)/log" }

    /// Makes the folder for a user.
    ///
    /// When it may be in memory and there are `memoryNeeded` bytes, it is: making a database takes an eighth of the
    /// time there.
    package init(owner: (user: uid_t, group: gid_t), isInMemory: Bool) throws(PostgresServerError) {
        var space = statvfs()
        let hasMemory =
            isInMemory && statvfs("/dev/shm", &space) == 0 && space.f_bavail * space.f_frsize > Self.memoryNeeded
        let place = hasMemory ? "/dev/shm" : "/tmp"
        var template = Array("\(place)/kpg.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw PostgresServerError("There is no temporary folder to be had in \(place).")
        }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        chown(path, owner.user, owner.group)
        let (reading, writing) = Command.pipe()
        lifeline = Mutex(writing)
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(reading)
            close(nothing)
        }
        shell = try Command.start(["sh", "-c", Self.clearing, "sh", path], input: reading, output: nothing)
    }

    deinit {
        clear()
    }

    /// Ends all that runs in the folder and removes it; returns when that is done.
    package func clear() {
        lifeline.withLock { lifeline in
            guard let descriptor = lifeline else { return }
            close(descriptor)
            lifeline = nil
            Command.wait(for: shell)
        }
    }

    /// Whoever would start a server again goes first.
    ///
    /// Then an immediate shutdown, as only a postmaster gives its shared memory back; at last SIGKILL.
    private static let clearing = """
        trap '' INT TERM HUP
        read -r line
        running() { find /proc/[0-9]*/cwd -maxdepth 0 -lname "$@" 2>/dev/null | cut -d/ -f3; }
        for process in $(running "$1/*" ! -lname "*/data"); do kill -KILL "$process"; done
        postmasters=" $(head -qn 1 "$1/data/postmaster.pid" "$1"/*/data/postmaster.pid 2>/dev/null | tr '\\n' ' ')"
        for process in $(running "$1/*"); do
            kill -CONT "$process"
            case "$postmasters" in *" $process "*) kill -QUIT "$process" ;; esac
        done
        tries=0
        while [ -n "$(running "$1/*")" ]; do
            [ $tries -ge 100 ] && kill -KILL $(running "$1/*")
            tries=$((tries + 1))
            sleep 0.02
        done
        rm -rf "$1"
        """

    /// The processes whose working directory is the data folder: the postmaster and all its children.
    var processes: [pid_t] { Self.processes(in: data) }

    /// The processes whose working directory is a certain one.
    package static func processes(in data: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")) == data
        }
    }

    /// Writes a file into the data folder, which only the server's user can read.
    func write(_ contents: String, to name: String, owner: (user: uid_t, group: gid_t)) throws(PostgresServerError) {
        let file = "\(data)/\(name)"
        guard FileManager.default.createFile(atPath: file, contents: Data(contents.utf8)),
            chmod(file, 0o600) == 0, chown(file, owner.user, owner.group) == 0
        else { throw PostgresServerError("\(file) cannot be written.") }
    }
}
