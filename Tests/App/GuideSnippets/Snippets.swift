// What the app developer guide shows beside the example app.
import Foundation
import KasiaPushClient
import KasiaPushCore
import KasiaPushSecp256k1
import KasiaPushStore

/// Stands for an app's own library.
protocol MySecp256k1: Sendable {
    func diffieHellman(_ secret: [UInt8], _ compressedPoint: [UInt8]) -> [UInt8]?
    func verify(_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool
    func sign(_ digest: [UInt8]) throws -> [UInt8]
}

// snippet: own-curve
struct MyCurve: Secp256k1Curve {
    let mine: any MySecp256k1

    /// The x coordinate alone: not hashed, as many libraries do by default.
    func sharedX(secret: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
        mine.diffieHellman(secret, publicKey.count == 32 ? [2] + publicKey : publicKey)
    }

    func isValid(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
        mine.verify(signature, message, publicKey)
    }
}

struct MyWalletKey: WalletKey {
    let mine: any MySecp256k1
    let publicKey: [UInt8]

    func signature(ofDigest digest: [UInt8]) async throws -> [UInt8] { try mine.sign(digest) }
}
// end

// snippet: progress
/// What the settings screen says of the registration, until the calling task is cancelled.
func showProgress(of manager: RegistrationManager, show: @MainActor (String) -> Void) async {
    for await progress in manager.changes {
        if let problem = progress.problem {
            await show(problem.message)
        } else {
            await show(progress.isInEffect ? "Notifications are on." : "Turning on notifications…")
        }
    }
}
// end

// snippet: diagnose
/// Why no pushes come, for the settings screen and for a report.
func whyNothingComes(
    _ app: AppPush, permission: NotificationPermission, lastPush: Int64?
) async -> (cause: String?, report: String) {
    let diagnosis = await app.manager.diagnose(permission: permission, lastPush: lastPush, gaps: app.gaps)
    let cause = diagnosis.cause.map { [$0.sentence, $0.advice].compactMap(\.self).joined(separator: " ") }
    let lines = diagnosis.findings.map { "\($0.check.rawValue): \($0.verdict.rawValue): \($0.sentence)" }
    return (cause, lines.joined(separator: "\n"))
}
// end

// snippet: check
/// Whether the service has made this push; `keys` are those of `GET /v1/push/key`, the present one and the former.
func isGenuine(_ push: PushPayload, token: PushToken, keys: [[UInt8]]) -> Bool {
    keys.contains { PushSignature.verify(push, token: token, publicKey: $0) }
}
// end

// snippet: call
/// What PushKit's push says, read and looked up; nil for one that cannot be read.
func call(
    in dictionary: [AnyHashable: Any], contacts: any ContactLookup, own address: String, now: UInt64
) -> ComposedCall? {
    guard case .call(let push) = PushPayload(userInfo: dictionary) else { return nil }
    let composer = NotificationComposer(settings: NotificationSettings(ownAddresses: [address]))
    return composer.compose(push, contact: try? contacts.contact(push.sender), now: now)
}
// end

// snippet: ring
/// Rings the phones of another wallet; `offer` is sealed for it, at most 2 KB.
func ring(
    _ callee: String, offer: [UInt8], isVideo: Bool, wallet: Wallet, token: PushToken, client: IndexerClient
) async throws -> UUID {
    let id = UUID()
    let signer = RequestSigner(wallet: wallet.key, walletAddress: wallet.address, device: nil)
    let auth = try await signer.authorization(
        .ring, token: token, lists: .ring(from: wallet.address), challenge: client.challenge())
    try await client.ring(
        RingRequest(
            token: token, callee: callee, callID: id.uuidString.lowercased(), kind: .invite, isVideo: isVideo,
            payload: offer.map { String(format: "%02x", $0) }.joined(), auth: auth))
    return id
}
// end

// snippet: ledger
extension AppPush {
    /// Right after a node has taken a transaction.
    func sent(_ transactionID: String, by address: String) async throws {
        let sent = SentTransaction(
            transactionID: transactionID, method: "send", address: address, sentAt: milliseconds())
        _ = try await store.activity.record(sent)
    }

    /// In the foreground: asks how what was sent stands by now, a hundred a call.
    func refreshSent(now: Int64) async throws {
        var cursor: LedgerCursor?
        repeat {
            let page = try await store.activity.unsettled(now: now, after: cursor)
            guard !page.items.isEmpty else { return }
            var statuses: [String: RefreshedStatus] = [:]
            for item in try await client.refreshActivity(page.items.map(\.transactionID)) {
                statuses[item.id] = RefreshedStatus(rawValue: item.status.rawValue)
            }
            _ = try await store.activity.apply(statuses, now: now)
            cursor = page.next
        } while cursor != nil
    }
}
// end

// snippet: connections
/// What to do with a site's request; `site` is as the transport knows it, never as the request says.
func decide(_ method: String, from site: AppMetadata, _ store: PushStore) async throws -> ConnectionDecision {
    let capabilities: [String: MethodPolicy] = [
        "network": .open, "accounts": .connect, "balance": .granted, "sign": .approved,
    ]
    return try await store.connections.decide(method, from: .site(site), capabilities: capabilities)
}
// end
