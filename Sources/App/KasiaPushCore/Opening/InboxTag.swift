import Crypto
import Kaspa

/// The tag under which strangers write to an address without a handshake.
public enum InboxTag {
    /// The tag of an address, 32 hex digits; nil for a text that is no address.
    public static func text(of address: String) -> String? {
        guard let address = try? Address(parsing: address) else { return nil }
        return Hex.encode(SHA256.hash(data: Array("kachat-inbox:v1:\(address)".utf8)).prefix(16))
    }
}
