import Foundation

/// Another process that takes the lock of a RocksDB directory as a service does: a write lock on the file `LOCK`.
final class WriteLock {
    private let process = Process()
    private let input = Pipe()
    /// Whether it got the lock.
    let isHeld: Bool

    /// Returns when it has the lock, or was refused it.
    init(store path: String) throws {
        let script = """
            use Fcntl;
            open(my $lock, "+<", $ARGV[0]) or die "no lock file";
            my $request = pack("s s x![q] q q i x![q]", F_WRLCK, 0, 0, 0, 0);
            my $word = fcntl($lock, F_SETLK, $request) ? "held" : "busy";
            $| = 1;
            print $word;
            <STDIN>;
            """
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/perl")
        process.arguments = ["-e", script, path + "/LOCK"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        isHeld = try output.fileHandleForReading.read(upToCount: 4) == Data("held".utf8)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
