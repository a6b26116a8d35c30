/// The condition under which an output can be spent, as it stands on chain.
public struct Script: Hashable, Sendable {
    /// The version of the script's language; only version 0 has addresses.
    public var version: UInt16

    /// The script itself.
    public var bytes: [UInt8]

    /// Takes a script as it stands on chain.
    public init(version: UInt16 = 0, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }

    /// The script that pays an address, which `address(on:)` maps back to it.
    public init(paying address: Address) {
        let template = Template(address.version)
        self.init(bytes: template.opening + address.payload + [template.closing])
    }

    /// The address that the script pays; nil for a version other than 0 and for anything but the three standard forms.
    ///
    /// The forms are `20 KEY ac`, `21 KEY ab` and `aa 20 HASH 87`, as in rusty-kaspa's `crypto/txscript`.
    public func address(on network: Network) -> Address? {
        guard version == 0 else { return nil }
        for addressVersion in Address.Version.allCases {
            let template = Template(addressVersion)
            let opening = template.opening
            guard
                bytes.count == opening.count + addressVersion.payloadByteCount + 1,
                bytes.last == template.closing,
                bytes.starts(with: opening)
            else { continue }
            let payload = bytes[opening.count..<bytes.count - 1]
            return Address(prefix: network.addressPrefix, version: addressVersion, payload: payload)
        }
        return nil
    }

    /// What is the address's own in the bytes of a script of version 0: its version, and its payload where it stands.
    ///
    /// nil for anything but the three standard forms; the same as `address(on:)`, for whoever looks at very many.
    public static func addressPart(
        of script: UnsafeRawBufferPointer
    ) -> (version: Address.Version, payload: UnsafeRawBufferPointer)? {
        let count = script.count
        guard count == 34 || count == 35 else { return nil }
        switch (script[0], script[count - 1]) {
        case (0x20, 0xac) where count == 34: return (.schnorr, UnsafeRawBufferPointer(rebasing: script[1..<33]))
        case (0x21, 0xab) where count == 35: return (.ecdsa, UnsafeRawBufferPointer(rebasing: script[1..<34]))
        case (0xaa, 0x87) where count == 35 && script[1] == 0x20:
            return (.scriptHash, UnsafeRawBufferPointer(rebasing: script[2..<34]))
        default: return nil
        }
    }

    /// What stands before and after the payload in a standard script.
    private struct Template {
        let opening: [UInt8]
        let closing: UInt8

        init(_ version: Address.Version) {
            switch version {
            case .schnorr: (opening, closing) = ([0x20], 0xac)
            case .ecdsa: (opening, closing) = ([0x21], 0xab)
            case .scriptHash: (opening, closing) = ([0xaa, 0x20], 0x87)
            }
        }
    }
}
