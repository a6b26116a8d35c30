import API
import ServiceLifecycle
import Store

/// Opens the store to read as soon as it can, hands it to the reads of a process that stands by, and looks for what its
/// live streams are to send.
struct StandbyReader: Service {
    private static let pause = Duration.seconds(1)
    /// How far the streams of a process that stands by are behind those of the one that works, at most.
    private static let look = Duration.milliseconds(250)

    private let reads: StandbyReads
    private let open: @Sendable () async throws(StoreError) -> Store

    /// `open` opens the store to read.
    init(_ reads: StandbyReads, open: @escaping @Sendable () async throws(StoreError) -> Store) {
        self.reads = reads
        self.open = open
    }

    /// Ends when it is told to stop; then nothing is read any more.
    ///
    /// Until the store is open reads are answered 503, and `StoreWaiter` says why.
    func run() async {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                if let store = try? await open() {
                    await reads.read(from: store)
                    break
                }
                try? await Task.sleep(for: Self.pause)
            }
            while !Task.isCancelled {
                await reads.publish()
                try? await Task.sleep(for: Self.look)
            }
        }
        await reads.read(from: nil)
    }
}
