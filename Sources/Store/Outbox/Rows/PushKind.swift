public import KasiaProtocol

/// What a push is about.
///
/// The raw value is what the store writes; those of operations are the operations' own.
public enum PushKind: UInt8, CaseIterable, Sendable {
    case handshake = 1
    case payment = 2
    case contextualMessage = 3
    case selfStash = 4
    case groupMessage = 5
    case groupControl = 6
    case broadcast = 7
    /// A plain transfer credits an address that a device only watches for funds.
    case addressActivity = 8
    /// A payment that was pushed is no longer accepted.
    case paymentReverted = 9

    /// The kind of a push about an operation: the one with the same raw value.
    public init(_ operation: OperationKind) {
        switch operation {
        case .handshake: self = .handshake
        case .payment: self = .payment
        case .contextualMessage: self = .contextualMessage
        case .selfStash: self = .selfStash
        case .groupMessage: self = .groupMessage
        case .groupControl: self = .groupControl
        case .broadcast: self = .broadcast
        }
    }

    /// Whether the notification needs the operation's payload.
    public var usesPayload: Bool { self != .addressActivity && self != .paymentReverted }
}

extension PushKind: CustomStringConvertible {
    /// The kind's name in pushes, in `missed` and in metrics: `address_activity`.
    public var description: String {
        switch self {
        case .handshake: OperationKind.handshake.description
        case .payment: OperationKind.payment.description
        case .contextualMessage: OperationKind.contextualMessage.description
        case .selfStash: OperationKind.selfStash.description
        case .groupMessage: OperationKind.groupMessage.description
        case .groupControl: OperationKind.groupControl.description
        case .broadcast: OperationKind.broadcast.description
        case .addressActivity: "address_activity"
        case .paymentReverted: "payment_reverted"
        }
    }
}
