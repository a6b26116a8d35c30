import KasiaPushClient
import KasiaPushCore
import Testing

/// A call of the client that an operation of `openapi.json` describes.
struct DocumentedCall: Sendable, CustomTestStringConvertible {
    /// The operation's `operationId`.
    let operation: String
    /// The member of the answer that the call returns; nil: all of it.
    var member: String?
    /// Makes the call, with all that it can send or with as little as it can, and returns what it returns.
    let make: @Sendable (IndexerClient, _ isFull: Bool) async throws -> (any Encodable)?

    var testDescription: String { operation }

    init(
        _ operation: String, member: String? = nil,
        make: @escaping @Sendable (IndexerClient, Bool) async throws -> (any Encodable)?
    ) {
        self.operation = operation
        self.member = member
        self.make = make
    }

    static let all = registration + lists + kachat + activity + operations

    private static let address = SampleAuthorization.address
    private static let id = String(repeating: "0f", count: 32)
    private static let alias = "616c696173"
    private static let full = ListPosition(blockTime: 5, cursor: String(repeating: "0f", count: 40), limit: 9)

    private static func position(_ isFull: Bool) -> ListPosition { isFull ? full : ListPosition() }

    private static func token() throws -> PushToken { try .apns([UInt8](repeating: 0xab, count: 32)) }

    private static func registrationRequest(
        _ isFull: Bool, signedAs call: SignedCall
    ) async throws -> RegistrationRequest {
        guard isFull else {
            var request = RegistrationRequest(token: try token(), platform: .ios)
            request.watchedAddresses = [address]
            return request
        }
        let keys = WebPushSubscription.Keys(
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg")
        let endpoint = "https://push.example/1"
        var request = RegistrationRequest(token: try .webPush(endpoint: endpoint), platform: .unifiedpush)
        request.subscription = WebPushSubscription(endpoint: endpoint, keys: keys)
        request.watchedAddresses = [address]
        request.primaryAddress = address
        request.aliases = ["alias"]
        request.watchedGroupIDs = [id]
        request.watchOnlyAddresses = [address]
        request.capabilities = ["group_v1"]
        request.payloadFormat = .kachat
        request.apnsEnvironment = .development
        request.voipToken = try token()
        request.watchedBroadcastChannels = ["kaspa"]
        request.hiddenBroadcastSenders = ["kaspa": [address]]
        request.auth = try await SampleAuthorization.make(call, token: request.token, lists: request.signedLists)
        return request
    }

    private static let registration: [DocumentedCall] = [
        DocumentedCall("challenge") { client, _ in try await client.challenge() },
        DocumentedCall("challengeByGet") { client, _ in try await client.challengeByGet() },
        DocumentedCall("register") { client, isFull in
            try await client.register(registrationRequest(isFull, signedAs: .register))
        },
        DocumentedCall("update") { client, isFull in
            try await client.update(registrationRequest(isFull, signedAs: .update))
        },
        DocumentedCall("updateByPost") { client, isFull in
            try await client.updateByPost(registrationRequest(isFull, signedAs: .update))
        },
        DocumentedCall("unregister") { client, isFull in
            let auth = isFull ? try await SampleAuthorization.make(.unregister, token: token()) : nil
            try await client.unregister(token(), auth: auth)
            return nil
        },
        DocumentedCall("unregisterByPost") { client, isFull in
            let auth = isFull ? try await SampleAuthorization.make(.unregister, token: token()) : nil
            try await client.unregisterByPost(token(), auth: auth)
            return nil
        },
        DocumentedCall("status") { client, _ in try await client.status(of: token(), auth: nil) },
        DocumentedCall("statusByPost") { client, _ in
            try await client.status(of: token(), auth: SampleAuthorization.make(.status, token: token()))
        },
        DocumentedCall("missed") { client, isFull in
            try await client.missed(of: token(), after: isFull ? 3 : nil, limit: isFull ? 10 : nil, auth: nil)
        },
        DocumentedCall("missedByPost") { client, isFull in
            try await client.missed(
                of: token(), after: isFull ? 3 : nil, limit: isFull ? 10 : nil,
                auth: SampleAuthorization.make(.missed, token: token()))
        },
        DocumentedCall("vapid", member: "public_key") { client, _ in try await client.vapidPublicKey() },
        DocumentedCall("signingKey") { client, _ in try await client.pushSigningKey() },
        DocumentedCall("devices", member: "devices") { client, _ in
            try await client.devices(auth: SampleAuthorization.make(.devices, token: nil))
        },
        DocumentedCall("unregisterWallet", member: "removed") { client, _ in
            try await client.unregisterWallet(auth: SampleAuthorization.make(.wallet, token: nil))
        },
        DocumentedCall("ring") { client, isFull in
            try await client.ring(
                RingRequest(
                    token: token(), callee: address, callID: "0f8fad5b-d9cb-469f-a165-70867728950e", kind: .invite,
                    isVideo: isFull, payload: isFull ? "00ff" : nil,
                    auth: SampleAuthorization.make(.ring, token: token(), lists: .ring(from: address))))
            return nil
        },
    ]

    private static let lists: [DocumentedCall] = [
        DocumentedCall("handshakesBySender") { try await $0.handshakes(sentBy: address, from: position($1)) },
        DocumentedCall("handshakesByReceiver") { try await $0.handshakes(receivedBy: address, from: position($1)) },
        DocumentedCall("paymentsBySender") { try await $0.payments(sentBy: address, from: position($1)) },
        DocumentedCall("paymentsByReceiver") { try await $0.payments(receivedBy: address, from: position($1)) },
        DocumentedCall("contextualMessagesBySender") {
            try await $0.contextualMessages(sentBy: address, alias: $1 ? alias : nil, from: position($1))
        },
        DocumentedCall("selfStashByOwner") {
            try await $0.selfStashes(of: address, scope: $1 ? alias : nil, from: position($1))
        },
        DocumentedCall("groupMessages") { try await $0.groupMessages(of: id, from: position($1)) },
        DocumentedCall("groupControlBySender") { try await $0.groupControls(sentBy: address, from: position($1)) },
        DocumentedCall("groupControlByRecipient") { try await $0.groupControls(for: address, from: position($1)) },
        DocumentedCall("broadcastsByChannel") { try await $0.broadcasts(in: "kaspa", from: position($1)) },
        DocumentedCall("message") { client, _ in try await client.message(id) },
    ]

    private static let kachat: [DocumentedCall] = [
        DocumentedCall("contextualMessagesByInbox") { client, isFull in
            try await client.contextualMessages(
                toInbox: String(repeating: "0f", count: 16), since: isFull ? 5 : nil, limit: isFull ? 9 : nil)
        },
        DocumentedCall("contextualMessageByTransaction") { client, _ in try await client.contextualMessage(id) },
        DocumentedCall("getBroadcasts") { client, isFull in
            try await client.channelBroadcasts(of: "kaspa", before: isFull ? 5 : nil, limit: isFull ? 9 : nil)
        },
        DocumentedCall("groupMessagesOfMany", member: "results") { client, isFull in
            try await client.groupMessages([
                GroupQuery(blindedGroupID: id, cursor: isFull ? full.cursor : nil, limit: isFull ? 9 : nil)
            ])
        },
        DocumentedCall("groupMessagesSince") { client, isFull in
            try await client.groupMessages(in: [id], since: 5, limit: isFull ? 9 : nil)
        },
        DocumentedCall("groupControlSince") { client, isFull in
            try await client.groupControls(
                sentBy: isFull ? [address] : [], orFor: address, since: 5, limit: isFull ? 9 : nil)
        },
    ]

    private static let activity: [DocumentedCall] = [
        DocumentedCall("activity") { client, isFull in
            guard isFull else { return try await client.activity(of: address) }
            let filter = ActivityFilter(
                types: [.payment, .transfer], directions: [.incoming, .toSelf], statuses: [.confirmed, .accepted],
                counterparty: address, since: 4, until: 6)
            return try await client.activity(of: address, matching: filter, limit: 9, cursor: full.cursor)
        },
        DocumentedCall("activityStream") { client, isFull in
            let events = try await client.activityStream(
                of: address, includesTransfers: isFull, lastEventID: isFull ? "4711-3f2504e0" : nil)
            for try await event in events {
                if case .changed(let item) = event.change { return item }
            }
            return nil
        },
        DocumentedCall("activityRefresh", member: "items") { client, _ in try await client.refreshActivity([id]) },
    ]

    private static let operations: [DocumentedCall] = [
        DocumentedCall("health") { client, _ in
            try await client.health()
            return nil
        },
        DocumentedCall("ready") { client, _ in try await client.ready() },
        DocumentedCall("statusSnapshot") { client, _ in try await client.serviceStatus() },
        DocumentedCall("statusStream") { client, _ in
            for try await event in try await client.serviceStatusStream() {
                if case .status(let status) = event { return status }
            }
            return nil
        },
        DocumentedCall("metrics") { client, _ in try await client.metrics() },
        DocumentedCall("prometheusMetrics") { client, _ in try await client.prometheusMetrics() },
        DocumentedCall("openAPI") { client, _ in
            _ = try await client.openAPIDocument()
            return nil
        },
        DocumentedCall("statusPage") { client, _ in try await client.statusPage() },
        DocumentedCall("documentationPage") { client, _ in try await client.documentationPage() },
        DocumentedCall("guidePage") { client, _ in try await client.guidePage() },
    ]
}
