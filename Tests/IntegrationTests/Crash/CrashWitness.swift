import APNsSandbox
import Foundation
import Kaspa
import KaspadReplay
import Synchronization
import Testing

/// The oracle outside the process: the devices as their apps know them, and what the sandbox must have received.
final class CrashWitness: Sendable {
    private let chain: CrashChain
    private let devices: Mutex<[CrashDevice]>
    /// The number of connections that the sandbox had seen when each process was started.
    private let starts = Mutex<[Int]>([])
    let deviceCount: Int

    /// Every third device is an iPhone, an Android phone, a browser.
    init(_ chain: CrashChain, devices count: Int, _ sandbox: APNsSandbox) {
        self.chain = chain
        deviceCount = count
        devices = Mutex(
            (0..<count).map { number in
                let subscription = number / 3 % 3 == 2 ? sandbox.makeSubscription() : nil
                return CrashDevice(
                    number: number, wallets: chain.wallets, isAndroid: number / 3 % 3 == 1, subscription)
            })
    }

    /// An address of nobody that any of the chain's wallets writes to or from.
    let stranger =
        Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 7, count: 32))?.description ?? ""

    /// A process is about to start; nothing of the one before is on its way any more.
    func processStarts(connectionsSeen: Int) {
        starts.withLock { $0.append(connectionsSeen) }
    }

    /// Looks up what the service says of a device, if that is certain, and lets its app make its next call.
    ///
    /// Throws when the process is gone, or refuses; then nobody knows whether the call counted.
    func call(from index: Int, _ rest: RESTClient, played: @Sendable () -> Int, _ random: inout SeededRandom)
        async throws
    {
        try await expectStanding(of: index, rest)
        let (call, token, registration) = devices.withLock { devices in
            let call = devices[index].nextCall(&random)
            devices[index].asks(call)
            return (call, devices[index].token, devices[index].registration)
        }
        switch call {
        case .register:
            try await rest.register(registration)
        case .unregister:
            let body = Data("{\"device_token\":\"\(token)\"}".utf8)
            let answer = try await rest.send("DELETE", "/v1/push/unregister", body)
            guard answer.status != 503 else { throw Unavailable() }
            try #require(answer.status == 200)
        }
        let position = played()
        devices.withLock { $0[index].wasAnswered(call, played: position) }
    }

    /// What was answered 200 is there.
    func expectStanding(of index: Int, _ rest: RESTClient) async throws {
        let device = devices.withLock { $0[index] }
        guard device.standing != .unknown else { return }
        let answer = try await rest.send("GET", "/v1/push/status?device_token=\(device.queryToken)")
        guard answer.status != 503 else { throw Unavailable() }
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let isRegistered = object?["registered"] as? Bool
        #expect(
            isRegistered == (device.standing == .registered),
            "device \(index), \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        guard device.standing == .registered else { return }
        let watched = Set(object?["watched_addresses"] as? [String] ?? [])
        #expect(watched.isSuperset(of: device.confirmedAddresses), "device \(index)")
    }

    /// Keys, token and transaction, of what has to be there and of what may be.
    private func expectations(before end: Int = .max) -> (required: Set<String>, allowed: Set<String>) {
        var required: Set<String> = []
        var allowed: Set<String> = []
        for device in devices.withLock({ $0 }) {
            let standings = device.addresses.flatMap { chain.accepted[$0, default: []] }
            for standing in standings where device.mayBeTold(of: standing.operation) {
                let key = "\(device.address) \(standing.operation.id)"
                allowed.insert(key)
                // Accepted for a while and then lost: told or not, as the indexer asked before or after.
                guard standing.acceptingBlock != nil, let entry = chain.firstAcceptance[standing.operation.id],
                    let last = chain.lastAcceptance[standing.operation.id], last < end
                else { continue }
                if device.mustBeTold(of: standing.operation, acceptedIn: entry) { required.insert(key) }
            }
        }
        return (required, allowed)
    }

    /// What must be there, or that of it which the chain accepted for good in entries before `end`.
    func required(before end: Int = .max) -> Set<String> { expectations(before: end).required }

    /// Compares all that arrived with what should have; returns how many notifications came more than once.
    ///
    /// `isLate` says of a request that a process sent it which had been paused in the middle of that.
    func judge(
        _ sandbox: APNsSandbox, isLate: (ReceivedNotification) -> Bool = { _ in false }
    ) -> (sent: Int, required: Int, repeats: Int) {
        devices.withLock { devices in
            for index in devices.indices { devices[index].ends() }
        }
        let sent = sandbox.notifications.filter { !isLate($0) }
        let (required, allowed) = expectations()
        #expect(required.subtracting(sent.map(\.key)).isEmpty, "missing")
        let unexpected = Set(sent.map(\.key)).subtracting(allowed)
        #expect(unexpected.isEmpty, "not expected")
        let refused = sandbox.requests.filter { $0.ending == .answered && ![200, 201].contains($0.status) }
        #expect(refused.isEmpty, "refused: \(refused.first.map { "\($0.status) \($0.reason ?? "")" } ?? "")")
        expectSilences(sandbox.requests.filter { !isLate($0) })
        expectOrder(sent)
        return (sent.count, required.count, expectRepeats(sent))
    }

    /// Nothing reached a device between the answer to its unregister and its next registration.
    private func expectSilences(_ requests: [ReceivedNotification]) {
        let byToken = Dictionary(grouping: requests, by: \.token)
        for device in devices.withLock({ $0 }) {
            for silence in device.silences {
                let late = byToken[device.address, default: []].filter { silence.contains($0.receivedAt) }
                #expect(late.isEmpty, "device \(device.number) was sent something after its unregister")
            }
        }
    }

    /// The first arrivals of a device that never left are numbered without a gap, in order.
    private func expectOrder(_ sent: [ReceivedNotification]) {
        let byToken = Dictionary(grouping: sent, by: \.token)
        for device in devices.withLock({ $0 }) where device.habit != .leaving {
            var seen: Set<String> = []
            let first = byToken[device.address, default: []].filter { seen.insert($0.transaction).inserted }
            #expect(first.map(\.sequenceNumber) == (0..<first.count).map { $0 + 1 }, "device \(device.number)")
        }
    }

    /// What came again was the last that its device got before a kill, and came under the same name, number and content.
    ///
    /// Where nobody said when processes started, it was the last that its device got, and came over another connection.
    private func expectRepeats(_ sent: [ReceivedNotification]) -> Int {
        let starts = starts.withLock { $0 }
        var places: [String: Int] = [:]
        let placeOfDevice = sent.map { notification in
            places[notification.token, default: 0] += 1
            return places[notification.token, default: 0]
        }
        var lastOfLife: [String: String] = [:]
        for notification in sent {
            lastOfLife["\(notification.token) \(notification.life(starts))"] = notification.transaction
        }
        var repeats = 0
        for again in Dictionary(grouping: sent.indices, by: { sent[$0].key }).values where again.count > 1 {
            for (first, second) in zip(again, again.dropFirst()) {
                let (earlier, later) = (sent[first], sent[second])
                repeats += 1
                if starts.isEmpty {
                    #expect(placeOfDevice[second] == placeOfDevice[first] + 1, "not in flight")
                    #expect(earlier.connection != later.connection, "sent twice")
                } else {
                    let wasInFlight = lastOfLife["\(earlier.token) \(earlier.life(starts))"] == earlier.transaction
                    #expect(wasInFlight && earlier.life(starts) < later.life(starts), "not in flight at a kill")
                }
                // Google names each message anew, and tells apps nothing of it.
                #expect(earlier.carrier == .fcm || earlier.id == later.id)
                #expect(earlier.collapseID == later.collapseID && earlier.shown == later.shown)
            }
        }
        return repeats
    }
}

extension ReceivedNotification {
    /// What must be there once: a transaction for a device.
    var key: String { "\(token) \(transaction)" }

    /// Which of the processes sent it.
    fileprivate func life(_ starts: [Int]) -> Int {
        starts.count { $0 < connection }
    }
}
