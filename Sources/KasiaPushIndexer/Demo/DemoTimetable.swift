import Kaspa
import KasiaProtocol
import KaspaNode
import Recordings

/// When the pushes of a recording come, and the recording at a pace that can be read.
struct DemoTimetable: Sendable {
    /// How long the quiet part before the first push may take.
    static let leadIn: UInt64 = 4_000
    /// The longest time between two entries after it.
    static let longestGap: UInt64 = 150
    /// How long each push has; milliseconds, as all times here.
    static let pushInterval: UInt64 = 800

    let recording: Recording
    /// About how many pushes each entry leads to, on these phones.
    private let pushes: [Int]

    init(_ recording: Recording, phones: [DemoDevice]) {
        self.recording = recording
        var told: Set<String> = []
        pushes = recording.entries.map { entry in
            guard case .virtualChain(let change) = entry.event else { return 0 }
            return change.added.lazy.flatMap(\.acceptedTransactions)
                .filter { told.insert($0.verboseData.transactionID).inserted }
                .reduce(0) { sum, transaction in sum + phones.count { $0.isTold(of: transaction) } }
        }
    }

    /// When the first push comes, from the recording's start; nil if none does.
    var firstPush: UInt64? { firstPushEntry.map { recording.entries[$0].offsetMs } }

    /// The DAA score that the virtual chain ends at.
    var lastScore: UInt64 {
        let added = recording.entries.lazy.reversed().compactMap { entry in
            if case .virtualChain(let change) = entry.event { change.added.last } else { nil }
        }
        return added.first?.chainBlockHeader.daaScore ?? 0
    }

    /// The same recording with its pauses shortened, and time after each change of the chain for what it leads to.
    ///
    /// Without any push it is ten times as fast as it was.
    func atReadingPace() -> Recording {
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
            let reading = UInt64(pushes[index - 1]) * DemoTimetable.pushInterval
            let step = max(min(gap, DemoTimetable.longestGap), reading)
            paced.entries[index].offsetMs = paced.entries[index - 1].offsetMs + step
        }
        return paced
    }

    private var firstPushEntry: Int? { pushes.firstIndex { $0 > 0 } }
}

extension DemoDevice {
    /// Whether the phone is told of a transaction, as far as it takes to plan the demo: `Audience` decides.
    func isTold(of transaction: Protowire_RpcOptionalTransaction) -> Bool {
        guard let payload = Hex.decode(transaction.payload),
            case .operation(let operation) = PayloadGrammar.classify(payload)
        else { return false }
        let sender = transaction.inputs.first?.verboseData.utxoEntry.verboseData.scriptPublicKeyAddress
        switch operation.kind {
        case .contextualMessage: return sender.map(contacts.contains) ?? false
        case .payment, .handshake:
            let receiver = transaction.outputs.lazy.map(\.verboseData.scriptPublicKeyAddress).first { $0 != sender }
            return receiver == address
        default: return false
        }
    }
}
