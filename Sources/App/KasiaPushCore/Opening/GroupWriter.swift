import Crypto
import Kaspa

/// Who writes to a group, as group messages name a writer.
struct GroupWriter {
    let address: String
    /// The SHA-256 of the address: the writer's id within groups.
    let hash: [UInt8]

    init(_ address: Address) {
        self.address = address.description
        hash = Array(SHA256.hash(data: Array(self.address.utf8)))
    }
}
