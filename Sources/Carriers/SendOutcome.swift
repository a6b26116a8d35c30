public import HTTP2Client
public import Store

/// What became of one push, and what follows from it, whoever carried it.
///
/// Each carrier has a table that leads from its answers to these.
public struct SendOutcome: Sendable, Equatable {
    /// What follows for the delivery, for its device and for the carrier.
    public enum Effect: Sendable, Equatable {
        /// The carrier has it.
        case delivered
        /// The carrier has it, and has shown which of Apple's hosts the token is good at.
        case deliveredAt(DeviceRecord.Environment)
        /// The token is wrong, or gone since an unknown time: this delivery is given up, and the device gets a strike.
        case tokenInvalid
        /// The token has been gone since then, milliseconds since 1970; nil: since the push was sent.
        ///
        /// The device is removed, unless it has registered again later.
        case tokenGone(since: UInt64?)
        /// This push can never be accepted: our mistake.
        case mistake
        /// It is too large: it is sent once more without its payload.
        case tooLarge
        /// Too much for this one device: it waits, and the token has been looked at.
        case deviceWaits(RetryAfter?)
        /// A destination that the device has named has something against our credentials: the delivery is tried again, for
        /// about an hour.
        case refusedElsewhere
        /// It is tried again after the back-off, and not before so long.
        case retry(notBefore: RetryAfter? = nil, atLeast: Duration = .zero)
        /// It is tried again, and the carrier waits: all its deliveries stay in the outbox.
        case carrierWaits(CarrierPause, RetryAfter? = nil)
        /// It was not sent, since the carrier holds its destination back; it is asked again after so long.
        case notYet(after: Duration)
        /// It was not sent, or nobody knows, since the carrier is stopping: it stays due.
        case handedBack
    }

    /// What follows.
    public var effect: Effect
    /// What happened, in one word of the carrier's fixed set: for spans.
    public var label: String
    /// Why, in one word of the carrier's fixed set: a label of metrics.
    ///
    /// `None` for a success.
    public var reason: String
    /// The answer in printable ASCII, at most 64 bytes, for logs and for `explain`; it may be any.
    public var answer: String
    /// Whether the carrier has looked at the token: silence says nothing about it, nor do errors of the carrier.
    public var isAnswer: Bool
    /// Whether the carrier gives such an answer only to those whose credentials it has accepted.
    public var provesCredentials: Bool

    /// The longest ``answer``, in bytes: what the delivery log keeps of a reason.
    public static let longestAnswer = 64

    /// `answer` is cut to what may stand in a log; nil: the reason.
    public init(
        _ effect: Effect, label: String, reason: String, answer: String? = nil, isAnswer: Bool = true,
        provesCredentials: Bool = false
    ) {
        self.effect = effect
        self.label = label
        self.reason = reason
        self.answer = answer.map(SendOutcome.loggable) ?? reason
        self.isAnswer = isAnswer
        self.provesCredentials = provesCredentials
    }

    /// The beginning of a text that may stand in a log.
    private static func loggable(_ text: String) -> String {
        let kept = text.utf8.lazy.filter { (0x20...0x7e).contains($0) }.prefix(longestAnswer)
        return String(decoding: Array(kept), as: UTF8.self)
    }

    /// Whether the carrier has it.
    public var isDelivered: Bool {
        switch effect {
        case .delivered, .deliveredAt: true
        default: false
        }
    }
}

extension SendOutcome {
    /// The carrier has it.
    public static let delivered = SendOutcome(.delivered, label: "delivered", reason: "None", provesCredentials: true)

    /// No answer came; whether the carrier has it is not known, save where the failure says so.
    public static func transport(_ failure: TransportFailure, atLeast pause: Duration = .zero) -> SendOutcome {
        SendOutcome(.retry(atLeast: pause), label: "transport", reason: failure.label, isAnswer: false)
    }

    /// The carrier is stopping.
    public static func handedBack(_ reason: String) -> SendOutcome {
        SendOutcome(.handedBack, label: "not_sent", reason: reason, isAnswer: false)
    }
}

/// Why a carrier takes nothing for the moment.
public struct CarrierPause: Sendable, Equatable {
    /// How long it lasts.
    public enum Kind: Sendable, Equatable {
        /// Somebody has to do something: credentials are refused, or there are none.
        case refused
        /// It ends by itself, such as a token that may not be renewed yet.
        case passing
        /// The carrier has too much to do, or a quota is used up: at least this long.
        case busy(atLeast: Duration)
    }

    /// How long it lasts.
    public var kind: Kind
    /// What is the matter, for the operator: without a full stop.
    public var sentence: String

    /// Takes the cause and the operator's sentence.
    public init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }
}
