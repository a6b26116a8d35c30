import Foundation

/// Children of PushStoreProcess that write their lines to one pipe; none of them outlives this.
final class StoreProcesses {
    /// How long a child may be silent.
    ///
    /// It is silent for milliseconds.
    static let silenceMilliseconds: Int32 = 20_000

    private let reading: Int32
    private var writing: Int32
    private var unread: [UInt8] = []
    private var children: [Process] = []

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
        #if os(Linux)
        // F_SETPIPE_SZ, a macro that Swift does not see: a child waits when the test is one page behind.
        _ = fcntl(writing, 1_031, 4_096)
        #endif
    }

    deinit {
        for child in children { StoreProcesses.kill(child) }
        finishWriting()
        close(reading)
    }

    /// Starts a child; the executable is beside the test bundle.
    func start(_ arguments: String...) throws -> Process {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent()
        let process = Process()
        process.executableURL = folder.appendingPathComponent("PushStoreProcess")
        process.arguments = arguments
        process.standardOutput = FileHandle(fileDescriptor: writing, closeOnDealloc: false)
        try process.run()
        children.append(process)
        return process
    }

    /// Lets `line` end when the last child has.
    func finishWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// The next line of any child; nil when all have ended, or have been silent for too long.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var ready = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, StoreProcesses.silenceMilliseconds) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(reading, &bytes, bytes.count)
            guard count > 0 else { return nil }
            unread += bytes[..<count]
        }
    }

    /// Kills a child, unless it has ended, and waits until it is gone.
    static func kill(_ process: Process) {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
