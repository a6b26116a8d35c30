import Kaspa
import KasiaProtocol
import KaspaNode
import Recordings

/// The times of a recording's pushes, and the recording at a readable pace.
struct DemoTimetable: Sendable {
    /// The longest time before the first push.
    static let leadIn: UInt64 = 4_000
    /// The longest time between two later entries.
    static let longestGap: UInt64 = 150
    /// The time for each push; milliseconds, like all times here.
    static let pushInterval: UInt64 = 800

    let recording: Recording
    /// The approximate number of pushes of each entry, on these devices.
    private let pushes: [Int]
    /// The device that the first of them is for; nil without any.
    let firstDevice: DemoDevice?

    /// Makes the timetable of the pushes that are shown, those to `devices`.
    init(_ recording: Recording, devices: [DemoDevice]) {
        self.recording = recording
        var told: Set<String> = []
        var firstDevice: DemoDevice?
        pushes = recording.entries.map { entry in
            guard case .virtualChain(let change) = entry.event else { return 0 }
            return change.added.lazy.flatMap(\.acceptedTransactions)
                .filter { told.insert($0.verboseData.transactionID).inserted }
                .reduce(0) { sum, transaction in
                    let told = devices.filter { $0.isTold(of: transaction) }
                    firstDevice = firstDevice ?? told.first
                    return sum + told.count
                }
        }
        self.firstDevice = firstDevice
    }

    /// The time of the first push from the recording's start; nil without any.
    var firstPush: UInt64? { firstPushEntry.map { recording.entries[$0].offsetMs } }

    /// The DAA score at the end of the virtual chain.
    var lastScore: UInt64 {
        let added = recording.entries.lazy.reversed().compactMap { entry in
            if case .virtualChain(let change) = entry.event { change.added.last } else { nil }
        }
        return added.first?.chainBlockHeader.daaScore ?? 0
    }

    /// The same recording with shortened pauses, and time after each change of the chain for its pushes.
    ///
    /// The first push gets the time of as many more as it is shown on further devices. Without any push the recording
    /// is ten times as fast.
    func atReadingPace(furtherDevices: Int = 0) -> Recording {
        var paced = recording
        guard let first = firstPushEntry else {
            for index in paced.entries.indices { paced.entries[index].offsetMs /= 10 }
            return paced
        }
        let before = recording.entries[first].offsetMs
        for index in 0...first where before > DemoTimetable.leadIn {
            let offset = recording.entries[index].offsetMs
            paced.entries[index].offsetMs = UInt64(Double(offset) / Double(before) * Double(DemoTimetable.leadIn))
        }
        for index in recording.entries.indices.dropFirst(first + 1) {
            let gap = recording.entries[index].offsetMs - recording.entries[index - 1].offsetMs
            let count = pushes[index - 1] + (index - 1 == first ? furtherDevices : 0)
            let reading = UInt64(count) * DemoTimetable.pushInterval
            let step = max(min(gap, DemoTimetable.longestGap), reading)
            paced.entries[index].offsetMs = paced.entries[index - 1].offsetMs + step
        }
        return paced
    }

    private var firstPushEntry: Int? { pushes.firstIndex { $0 > 0 } }
}

extension DemoDevice {
    /// Whether the device will probably be notified of a transaction, for planning the demo.
    ///
    /// `Audience` decides.
    func isTold(of transaction: Protowire_RpcOptionalTransaction) -> Bool {
        guard let payload = Hex.decode(transaction.payload),
            case .operation(let operation) = PayloadGrammar.classify(payload)
        else { return false }
        let sender = transaction.inputs.first?.verboseData.utxoEntry.verboseData.scriptPublicKeyAddress
        switch operation.kind {
        case .contextualMessage: return sender.map(contacts.contains) ?? false
        case let kind where kind.paysReceiver:
            let receiver = transaction.outputs.lazy.map(\.verboseData.scriptPublicKeyAddress).first { $0 != sender }
            return receiver == address
        default: return false
        }
    }
}
