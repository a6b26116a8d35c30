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
    /// The signed nonce, which is used up with the change; nil once it is.
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

/// What the signatures of an unregister have proved: the wallet, the device key, or both.
public struct RemovalProof: Equatable, Sendable {
    /// The wallet whose key signed; nil when its signature does not verify.
    public var wallet: Address?
    /// The device key that signed.
    public var deviceKey: DeviceKeyUse?
    /// The signed nonce, which is used up with the change.
    public var nonce: NonceUse?

    /// For whoever has verified the signatures.
    public init(wallet: Address?, deviceKey: DeviceKeyUse? = nil, nonce: NonceUse? = nil) {
        self.wallet = wallet
        self.deviceKey = deviceKey
        self.nonce = nonce
    }
}

/// Why the registry refuses a change whose form and signatures are valid.
public enum RegistrationRefusal: Error, Equatable, Sendable {
    /// The nonce was already used.
    case usedNonce
    /// The request is not signed, and the token is bound to a wallet.
    case unsigned
    /// Neither the wallet nor the device key that the token is bound to has signed.
    case boundToAnother
    /// The wallet's signature does not verify, and the device key that signed is not the registration's.
    case unproven
    /// The token is not bound to a wallet, so no signature can prove its owner.
    case unbound
    /// The token was bound to another wallet until somebody else unregistered it, less than a week ago.
    case heldForAnother
    /// The counter of the device key is not greater than at its last use.
    case staleCounter
    /// The limit of devices is reached: nobody's fault.
    case full
}
