import Kaspa
import KasiaProtocol
import Store

/// The devices of the fairness benchmark, in groups that do not touch each other, and messages for them.
///
/// Device n of a group watches an address of its own; the crowd watches one address together.
struct FairnessDevices {
    /// Where a group's numbers begin: far enough apart.
    enum Group: Int {
        case probes = 10_000_000
        case living = 20_000_000
        case dead = 30_000_000
        case crowd = 40_000_000
    }

    /// What everybody in the crowd watches.
    static let sharedAddress = WatchPopulation.address(1 << 50)
    private static let payload = Array("ciph_msg:1:comm:8f3a1c2b9d4e:".utf8)
    /// The whole payload: it makes a notification of about 1 kB.
    private static let payloadBytes = 320

    static func token(_ group: Group, _ number: Int) -> [UInt8] { WatchPopulation.token(group.rawValue + number) }

    static func tokenText(_ group: Group, _ number: Int) -> String { Hex.encode(token(group, number)) }

    static func address(_ group: Group, _ number: Int) -> Address {
        group == .crowd ? sharedAddress : WatchPopulation.address(UInt64(group.rawValue + number) | 1 << 51)
    }

    static func register(_ group: Group, _ count: Int, in store: Store) async throws {
        for number in 0..<count {
            let device = DeviceRecord(
                token: token(group, number), platform: .ios, createdAt: 1, lastSeen: 1,
                watchedAddresses: [address(group, number)])
            try await store.registry.upsertDevice(device.id) { _ in device }
            try await store.outbox.noteAccepted(device.id)
        }
    }

    /// The chain accepts a message from each of `senders`; `serial` keeps messages apart.
    static func accept(from senders: [Address], serial: UInt64, in store: Store, now: UInt64) async throws {
        let acceptance = OperationRecord.Acceptance(blockHash: .zero, daaScore: 1, blueScore: 1)
        let accepted = senders.enumerated().map { index, sender in
            var random = SplitMix64(seed: serial << 16 | UInt64(index))
            return AcceptedOperation(
                operation: OperationRecord(
                    transactionID: Hash(bytes: random.bytes(32)) ?? .zero, kind: .contextualMessage, sender: sender,
                    receiver: nil, amount: 0, blockHash: .zero, blockTime: now, acceptance: acceptance,
                    payload: payload + random.hexadecimal(payloadBytes - payload.count)),
                notifies: true)
        }
        let cursor = ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: now)
        _ = try await store.history.apply(
            ChainStep(removed: [], accepted: accepted, cursor: cursor), now: now, withdrawsUnsent: false)
    }
}
