import Kaspa

/// A call as the phone shows it.
public struct ComposedCall: Hashable, Sendable {
    /// Why a call must not ring.
    public enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The user calls, on another device.
        case own
        /// The contact is muted.
        case mutedContact
        /// The push is older than ``NotificationComposer/maximumCallAge``.
        case stale
    }

    /// The call, a lower-case UUID.
    public var callID: String
    /// The contact's name, or the shortened address.
    public var name: String
    /// The caller's address.
    public var address: String
    /// Whether the caller asks for a picture.
    public var isVideo: Bool
    /// Why it must not ring, or nil.
    ///
    /// Report the call all the same and end it at once, as PushKit wants every push to be a call.
    public var refusal: Refusal?
}

extension NotificationComposer {
    /// A call that old has ended, in milliseconds.
    public static let maximumCallAge: UInt64 = 45_000

    /// Makes of a call what is shown; `now` is the time in milliseconds since 1970.
    ///
    /// A call from the future counts as new: the phone's clock may be late.
    public func compose(_ call: CallPush, contact: Contact? = nil, now: UInt64) -> ComposedCall {
        let refusal: ComposedCall.Refusal? =
            if settings.ownAddresses.contains(call.sender) {
                .own
            } else if contact?.isMuted == true {
                .mutedContact
            } else if now > call.timestamp, now - call.timestamp > NotificationComposer.maximumCallAge {
                .stale
            } else {
                nil
            }
        return ComposedCall(
            callID: call.callID, name: name(call.sender, contact), address: call.sender, isVideo: call.isVideo,
            refusal: refusal)
    }
}
