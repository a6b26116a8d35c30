import Foundation

/// Another process that holds a store's lock the way RocksDB takes it: an fcntl write lock on the file `LOCK`.
final class LockHolder {
    static let perl = "/usr/bin/perl"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: perl) }

    private let process = Process()
    private let input = Pipe()

    /// Returns once the lock is held.
    init(store path: String) throws {
        let script = """
            use Fcntl;
            open(my $lock, "+<", $ARGV[0]) or die "no lock file";
            my $request = pack("s s x![q] q q i x![q]", F_WRLCK, 0, 0, 0, 0);
            fcntl($lock, F_SETLK, $request) or die "not locked: $!";
            $| = 1;
            print "held\\n";
            <STDIN>;
            """
        let output = Pipe()
        process.executableURL = URL(filePath: LockHolder.perl)
        process.arguments = ["-e", script, path + "/LOCK"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard try output.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8) else {
            throw CocoaError(.fileLocking)
        }
    }

    /// Ends the process, and the lock with it.
    func release() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
