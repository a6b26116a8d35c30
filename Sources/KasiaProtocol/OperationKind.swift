/// What a payload under one of our roots is for.
///
/// The raw value is what the store writes.
public enum OperationKind: UInt8, CaseIterable, Sendable {
    /// Opens a conversation; also the unversioned legacy form, which can be an unaddressed message as well.
    case handshake = 1
    /// Coins with a memo.
    case payment = 2
    /// A message within a conversation, found by its writer and alias.
    case contextualMessage = 3
    /// A note of the sender to itself.
    case selfStash = 4
    /// A message to a group, found by the writer's blinded group id.
    case groupMessage = 5
    /// A change of a group's members or keys, for one member.
    case groupControl = 6
    /// A public message in a channel.
    case broadcast = 7

    /// Whether its coins are for somebody: the receiver of a payment or handshake, whom the chain names.
    ///
    /// All other kinds spend the sender's coins back to the sender.
    public var paysReceiver: Bool { self == .payment || self == .handshake }
}

extension OperationKind: CustomStringConvertible {
    /// The kind's name in the API, in pushes and in metrics: `contextual_message`.
    public var description: String {
        switch self {
        case .handshake: "handshake"
        case .payment: "payment"
        case .contextualMessage: "contextual_message"
        case .selfStash: "self_stash"
        case .groupMessage: "group_message"
        case .groupControl: "group_control"
        case .broadcast: "broadcast"
        }
    }
}
