public import KasiaPushCore

/// The keys that a registration is signed with, wherever the app keeps them.
///
/// All calls may throw what keeps a key from being used now, such as a device that is locked; the manager tries again
/// later.
public protocol RegistrationKeys: Sendable {
    /// The key of a wallet by its address in lower case; nil if it is not on this device.
    ///
    /// Keep the key of a wallet that signs out until `RegistrationProgress.pendingUnregisters` is 0, or have a device
    /// key: one of the two has to sign the sign-out.
    func walletKey(for address: String) async throws -> (any WalletKey)?

    /// The device's key; nil without one.
    ///
    /// It should outlive the app's storage, in the key chain, so that a reinstalled app can free the token of a wallet
    /// that it does not have any more.
    func deviceKey() async throws -> (any DeviceKey)?

    /// The last counter that the device's key was used with; 0 before the first.
    ///
    /// Keep it where the key is: a key without its counter is refused until the counter has caught up.
    func deviceKeyCounter() async throws -> UInt64

    /// Stores the counter before a signature uses it, durable on return.
    func storeDeviceKeyCounter(_ counter: UInt64) async throws
}

/// How the counter of a device's key goes on.
enum DeviceKeyCounter {
    /// The least step after a counter that the service has refused.
    static let leap: UInt64 = 1 << 32

    /// The counter of the next signature; nil when there are none left.
    static func next(after last: UInt64) -> UInt64? { last < .max ? last + 1 : nil }

    /// The last counter to go on from when the service knows a greater one, because this one was lost: more than twice
    /// as great, so that a few tries find any.
    static func raised(_ last: UInt64) -> UInt64 {
        last <= (UInt64(Int64.max) - leap) / 2 ? 2 * last + leap : last
    }
}
