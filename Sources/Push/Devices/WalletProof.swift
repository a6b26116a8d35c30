public import Kaspa
public import Store

/// What the signatures of a request have proved.
public struct WalletProof: Equatable, Sendable {
    /// The wallet whose key signed.
    public var wallet: Address
    /// The device key that signed beside it.
    public var deviceKey: DeviceKeyUse?
    /// Whether the wallet signed under KaChat's own domain.
    public var isOfKachat: Bool
    /// The nonce that was signed, to be used up with the change; nil once it was.
    public var nonce: NonceUse?

    /// For whoever has verified the signatures.
    public init(
        wallet: Address, deviceKey: DeviceKeyUse? = nil, isOfKachat: Bool = false, nonce: NonceUse? = nil
    ) {
        self.wallet = wallet
        self.deviceKey = deviceKey
        self.isOfKachat = isOfKachat
        self.nonce = nonce
    }
}

/// What the signatures of an unregister have proved: at least one of the two (registration-auth.md, "Checks").
public struct RemovalProof: Equatable, Sendable {
    /// The wallet whose key signed; nil when its signature does not verify.
    public var wallet: Address?
    /// The device key that signed.
    public var deviceKey: DeviceKeyUse?
    /// The nonce that was signed, to be used up with the change.
    public var nonce: NonceUse?

    /// For whoever has verified the signatures.
    public init(wallet: Address?, deviceKey: DeviceKeyUse? = nil, nonce: NonceUse? = nil) {
        self.wallet = wallet
        self.deviceKey = deviceKey
        self.nonce = nonce
    }
}

/// Why a change that is well formed and well signed is still not the signer's to make (registration-auth.md, checks 7
/// to 9), or why there is no room for it.
public enum RegistrationRefusal: Error, Equatable, Sendable {
    /// Another request with this nonce came first.
    case usedNonce
    /// Nobody signed, and the token is bound to a wallet.
    case unsigned
    /// Neither the wallet nor the device key that the token is bound to has signed.
    case boundToAnother
    /// The wallet's signature does not verify, and the device key that signed is not the registration's.
    case unproven
    /// The token is registered without a wallet, so that nobody can prove that it is theirs.
    case unbound
    /// The token was bound to another wallet until somebody else unregistered it, less than a week ago.
    case heldForAnother
    /// The counter of the device key is not greater than at its last use.
    case staleCounter
    /// There are as many devices as there may be: nobody's fault.
    case full
}
