/// The text before the colon of an address, which names the kind of network.
public enum AddressPrefix: String, CaseIterable, Sendable {
    /// The main network.
    case kaspa
    /// Every test network, whatever its number.
    case kaspatest
    /// The simulation network.
    case kaspasim
    /// The development network.
    case kaspadev
}
