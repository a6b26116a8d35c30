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

    /// For whoever has verified the signatures.
    public init(wallet: Address, deviceKey: DeviceKeyUse? = nil, isOfKachat: Bool = false) {
        self.wallet = wallet
        self.deviceKey = deviceKey
        self.isOfKachat = isOfKachat
    }
}

/// What the signatures of an unregister have proved: at least one of the two (registration-auth.md, "Checks").
public struct RemovalProof: Equatable, Sendable {
    /// The wallet whose key signed; nil when its signature does not verify.
    public var wallet: Address?
    /// The device key that signed.
    public var deviceKey: DeviceKeyUse?

    /// For whoever has verified the signatures.
    public init(wallet: Address?, deviceKey: DeviceKeyUse? = nil) {
        self.wallet = wallet
        self.deviceKey = deviceKey
    }
}

/// Why a change that is well formed and well signed is still not the signer's to make (registration-auth.md, checks 8
/// and 9).
public enum RegistrationRefusal: Error, Equatable, Sendable {
    /// Nobody signed, and the token is bound to a wallet.
    case unsigned
    /// Neither the wallet nor the device key that the token is bound to has signed.
    case boundToAnother
    /// The wallet's signature does not verify, and the device key that signed is not the registration's.
    case unproven
    /// The token is registered without a wallet, so that nobody can prove that it is theirs.
    case unbound
    /// The counter of the device key is not greater than at its last use.
    case staleCounter
}
