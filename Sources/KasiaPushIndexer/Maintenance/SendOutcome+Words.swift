import Carriers

extension SendOutcome {
    /// What the answer of a carrier other than Apple means for the operator, and what to do.
    var words: String {
        switch effect {
        case .delivered, .deliveredAt:
            "It was taken. If nothing appears, look at the device: its connection, and whether the app may notify."
        case .tokenInvalid:
            "The token is refused (\(answer)): it is mistyped, or belongs to another app or another key."
        case .tokenGone:
            "The token is gone (\(answer)): the app was removed or has another token now. The indexer removes such a "
                + "device by itself."
        case .mistake: "The request itself is refused (\(answer)): this is a mistake of the indexer, please report it."
        case .tooLarge: "The push is larger than allowed."
        case .deviceWaits: "This device gets too much (\(answer)). Try again later."
        case .refusedElsewhere: "The credentials are refused there (\(answer))."
        case .retry: "No final answer (\(answer)). Try again; if it stays so, look at the network and its firewall."
        case .carrierWaits(let pause, _): "\(pause.sentence)."
        case .notYet: "It was not sent (\(answer)). Try again later."
        case .handedBack: "It was not sent, because the command ended."
        }
    }
}
