import Crypto
package import Kaspa

extension Address {
    /// What names this address in a message to its inbox: 16 bytes.
    package var inboxTag: [UInt8] {
        Array(SHA256.hash(data: Array("kachat-inbox:v1:\(description.lowercased())".utf8)).prefix(16))
    }
}
