/// The last sign of life of the process that writes: who it is, and a number that grows while it is at work.
struct Heartbeat: Equatable, Sendable {
    var incarnation: [UInt8]
    var number: Int64
}
