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

    /// The place among all cases.
    var number: Int {
        switch self {
        case .kaspa: 0
        case .kaspatest: 1
        case .kaspasim: 2
        case .kaspadev: 3
        }
    }

    /// Whether these characters are the prefix, in lower or upper case.
    func isSpelled(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        rawValue.utf8.elementsEqual(name.lazy.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 })
    }
}
