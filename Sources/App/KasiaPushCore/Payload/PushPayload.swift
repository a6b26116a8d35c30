/// A push as the app gets it, from whichever carrier and in whichever shape.
///
/// The shapes are Apple's nested `kasia` and flat `kachat`, FCM's `data`, the JSON of Web Push, and VoIP calls. A push
/// of a type that is not known, or with a member that is not what it should be, keeps its alert.
public enum PushPayload: Hashable, Sendable {
    /// A message from one person; `isInbox`: sent to the user's inbox tag, so the writer may be a stranger.
    case message(PushDetails, sealed: SealedBody?, isInbox: Bool)
    /// Somebody opens a conversation.
    case handshake(PushDetails, sealed: SealedBody?)
    /// Coins, in sompi, to the user's primary address; `memo` is what the service could read of it.
    case payment(PushDetails, sealed: SealedBody?, amount: UInt64?, memo: String?)
    /// A message to a group; `groupID` is the group's id as its writer blinds it, 64 hex digits.
    case groupMessage(PushDetails, sealed: SealedBody?, groupID: String?)
    /// A change of a group's members or keys.
    case groupControl(PushDetails, sealed: SealedBody?)
    /// Plain coins, in sompi, to one of the user's watch-only addresses.
    case addressActivity(PushDetails, address: String?, amount: UInt64?)
    /// A payment, in sompi, that was pushed before is no longer in the chain.
    case paymentReverted(PushDetails, amount: UInt64?)
    /// A public message in a channel; the alert has all of it.
    case broadcast(PushDetails, channel: String)
    /// A call.
    case call(CallPush)
    /// Anything else, to be shown as it is; with its details when it has a type and a transaction.
    case unknown(PushAlert, PushDetails?)

    /// What it says about its transaction; nil for calls and for what names none.
    public var details: PushDetails? {
        switch self {
        case .message(let details, _, _), .handshake(let details, _), .payment(let details, _, _, _),
            .groupMessage(let details, _, _), .groupControl(let details, _), .addressActivity(let details, _, _),
            .paymentReverted(let details, _), .broadcast(let details, _):
            details
        case .unknown(_, let details): details
        case .call: nil
        }
    }

    /// What is sealed in it.
    public var sealed: SealedBody? {
        switch self {
        case .message(_, let sealed, _), .handshake(_, let sealed), .payment(_, let sealed, _, _),
            .groupMessage(_, let sealed, _), .groupControl(_, let sealed):
            sealed
        case .call(let call): call.sealed
        case .addressActivity, .paymentReverted, .broadcast, .unknown: nil
        }
    }

    /// Whether the message did not fit into the push: fetch it by the transaction's id, see `filled(with:)`.
    public var needsFetching: Bool {
        switch self {
        case .message(_, nil, _), .handshake(_, nil), .groupMessage(_, nil, _), .groupControl(_, nil): true
        case .payment(_, nil, _, let memo): memo == nil
        default: false
        }
    }

    /// The same push with what was fetched for it; unchanged where nothing belongs in.
    public func filled(with sealed: SealedBody) -> PushPayload {
        switch self {
        case .message(let details, _, let isInbox): .message(details, sealed: sealed, isInbox: isInbox)
        case .handshake(let details, _): .handshake(details, sealed: sealed)
        case .payment(let details, _, let amount, let memo):
            .payment(details, sealed: sealed, amount: amount, memo: memo)
        case .groupMessage(let details, _, let groupID):
            .groupMessage(details, sealed: sealed, groupID: groupID)
        case .groupControl(let details, _): .groupControl(details, sealed: sealed)
        case .addressActivity, .paymentReverted, .broadcast, .call, .unknown: self
        }
    }
}
