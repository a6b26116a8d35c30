import Kaspa

/// The words of notifications, for an app to put its user's language in.
public struct NotificationWords: Hashable, Sendable {
    /// A message whose text is not shown.
    public var newMessage = "New message"
    /// The same of a group.
    public var newGroupMessage = "New group message"
    /// A group whose name is not known.
    public var group = "Group"
    /// A change of a group's members or keys.
    public var groupUpdate = "Group update"
    /// Above a stranger's first message.
    public var messageRequest = "Message request"
    /// A handshake.
    public var startedConversation = "Started a conversation"
    /// A voice message.
    public var voiceMessage = "Voice message"
    /// A photo.
    public var photo = "Photo"
    /// A video.
    public var video = "Video"
    /// Another file.
    public var file = "File"
    /// A call that is told of by message.
    public var call = "Call"
    /// Who sent what has no known sender.
    public var unknownSender = "Unknown sender"
    /// The title of coins to a watch-only address.
    public var fundsReceived = "Funds received"
    /// A payment; `{amount}` stands for the amount with its unit.
    public var received = "Received {amount}"
    /// A payment with a memo, which stands in place of `{memo}`.
    public var receivedWithMemo = "Received {amount}: {memo}"
    /// A payment whose amount is not known.
    public var receivedPayment = "Received a payment"
    /// A payment that the chain has lost; `{amount}` as above.
    public var reverted = "{amount} is no longer confirmed"
    /// The same without a known amount.
    public var revertedPayment = "A payment is no longer confirmed"

    /// English.
    public init() {}

    func payment(_ amount: UInt64?, memo: String?) -> String {
        let memo = memo.flatMap { $0.isEmpty ? nil : $0 }
        guard let amount else { return receivedPayment }
        guard let memo else { return NotificationWords.fill(received, amount) }
        // The memo comes last: what stands in it is not a place for anything.
        return NotificationWords.fill(receivedWithMemo, amount).replacing("{memo}", with: memo, maxReplacements: 1)
    }

    func reversal(_ amount: UInt64?) -> String {
        amount.map { NotificationWords.fill(reverted, $0) } ?? revertedPayment
    }

    /// Amounts are exact, in KAS without trailing zeros.
    private static func fill(_ words: String, _ amount: UInt64) -> String {
        words.replacing("{amount}", with: Sompi(amount).description)
    }
}
