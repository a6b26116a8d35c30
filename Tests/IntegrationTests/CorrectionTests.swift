import APNsSandbox
import Foundation
import Kaspa
import KaspaNode
import KasiaProtocol
import KaspadReplay
import Recordings
import ReplaySupport
import Store
import Testing

/// A payment that a reorganisation takes out, end to end: through the replay node's gRPC, the store and Apple's stand-in.
@Suite("Corrections")
struct CorrectionTests {
    private static let token = String(repeating: "c0", count: 32)
    private static let payment = RecordingScript.hash(100)

    private let receiver: Address
    private let script: Script

    init() throws {
        receiver = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 0x21, count: 32)))
        script = Script(paying: receiver)
    }

    private func transaction() throws -> Protowire_RpcTransaction {
        let payer = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 0x22, count: 32)))
        return RecordingScript.transaction(
            100, payload: Array("kchat:1:pay:x".utf8), spending: 99, from: Script(paying: payer),
            to: [(script, 500_000_000)])
    }

    /// The payment, a branch without it, perhaps with it again, and a block eleven minutes later.
    private func recording(comesBack: Bool) throws -> Recording {
        var script = RecordingScript()
        // The start: the indexer asks for its header.
        script.tell(0, on: 999)
        script.tell(1, on: 0, transactions: [try transaction()])
        script.change(adding: [1])
        script.tell(11, on: 0)
        script.tell(12, on: 11)
        script.change(removing: 1, adding: [11, 12])
        if comesBack {
            script.tell(13, on: 12, transactions: [try transaction()])
            script.change(adding: [13])
        }
        script.pause(660_000)
        script.extend(from: 20, count: 2)
        return script.recording
    }

    @Test(
        "A payment that stays out of the chain for ten minutes is corrected once, also over a restart; one that comes back is not",
        .timeLimit(.minutes(5)), arguments: [false, true])
    func corrected(comesBack: Bool) async throws {
        let recording = try recording(comesBack: comesBack)
        let registration = Data(
            """
            {"device_token":"\(Self.token)","platform":"ios","watched_addresses":[],"primary_address":"\(receiver)"}
            """.utf8)
        try await World.with(recording) { world in
            let start = UInt64(RecordingScript.epoch) + 1_000
            let settings = ["PUSH_RETRACTIONS": "true"]
            try await world.withIndexer(now: { start }, settings: settings) { indexer in
                try await indexer.rest.register(registration)
                await world.replay.advance(to: 3)
                try await eventually("the payment is told") { world.sandbox.notifications.count == 1 }
                await world.replay.advance(to: 6)
                try await indexer.untilQuiet(at: RecordingScript.hash(12))
                #expect(try await indexer.store.outbox.reverted(Self.payment)?.revertedAt == start)
            }
            let later = start + 660_000
            try await world.withIndexer(now: { later }, settings: settings) { indexer in
                await world.replay.advanceToEnd()
                let told = comesBack ? 1 : 2
                try await eventually("\(told) are told") { world.sandbox.notifications.count == told }
                try await indexer.untilQuiet(at: RecordingScript.hash(21))
                #expect(try await (indexer.store.outbox.reverted(Self.payment) == nil) == comesBack)
                #expect(try indexer.store.checkBooks().problems == [])
            }
            try check(world.sandbox.notifications, comesBack: comesBack)
        }
    }

    private func check(_ notifications: [ReceivedNotification], comesBack: Bool) throws {
        let types = try notifications.map { notification in
            let body = try #require(JSONSerialization.jsonObject(with: Data(notification.body)) as? [String: Any])
            let kasia = try #require(body["kasia"] as? [String: Any])
            #expect(kasia["txId"] as? String == Self.payment.description)
            return [kasia["type"] as? String, (kasia["seq"] as? NSNumber)?.stringValue]
        }
        #expect(types == (comesBack ? [["payment", "1"]] : [["payment", "1"], ["payment_reverted", "2"]]))
        #expect(notifications.allSatisfy { $0.token == Self.token && $0.collapseID == Self.payment.description })
        #expect(Set(notifications.map(\.id)).count == notifications.count)
    }
}
