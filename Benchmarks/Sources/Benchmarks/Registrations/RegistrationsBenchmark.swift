import Foundation

/// Signed registrations of fifty addresses from very many phones at once, each answered when it is safe on the disk.
///
/// The service, in a process of its own, checks the signature and the challenge, reads the JSON, writes the device with
/// its index rows and syncs. Its requests are made beforehand. The yardstick only writes the same bodies to a file and
/// syncs, for all clients that wait at once. Of the processor's time the yardstick is what no service can leave out.
struct RegistrationsBenchmark: Benchmark {
    static let name = "registrations"
    private let scale: Scale

    init(scale: Scale) { self.scale = scale }

    func run() async throws -> [Row] {
        let directory = try TemporaryDirectory()
        let service = try RegistrationRound.service(in: scale.executables, store: directory.file("store"))
        defer { service.end() }
        try await service.answers("/health", within: .seconds(60))
        var (first, again) = (Samples(), Samples())
        var (files, filesAgain) = (Samples(), Samples())
        var (times, work) = (Samples(), Samples())
        for repetition in 0...scale.repetitions {
            let devices = try RegistrationRound.devices(scale.registrations, round: repetition)
            for isFirst in [true, false] {
                let round = try RegistrationRound(devices, service)
                let count = Double(devices.count)
                let before = CPUTime.of(process: service.processID)
                let ours = count / (try round.send())
                let time = (CPUTime.of(process: service.processID) - before) / count
                let file = try GroupCommit(directory.file("file"), group: RegistrationRound.clients)
                let yardstick = count / (try file.write(round.bodies))
                guard repetition > 0 else { continue }
                if isFirst {
                    first.add(ours)
                    files.add(yardstick)
                    times.add(time * 1e6)
                    let bare = try RegistrationWork(path: directory.file("work \(repetition)"))
                    work.add(try bare.run(round.bodies) * 1e6)
                } else {
                    again.add(ours)
                    filesAgain.add(yardstick)
                }
            }
        }
        let against = "the same bodies to a file, one fsync for 64"
        return [
            Row("registrations over HTTP, \(RegistrationRound.description)", first, "/s", against: against, files),
            Row("  the same devices again, nothing new", again, "/s", against: against, filesAgain),
            Row(
                "  processor time of a new one, the service's", times, "µs",
                against: "what cannot be left out: JSON, signature, rows through RocksDB's C API", work),
        ]
    }
}
