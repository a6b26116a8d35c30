import Kaspa
import Testing

@testable import Store

extension TestService {
    /// Overwrites a device's row with something that is none.
    func damage(_ token: String) async throws {
        let id = DeviceID(token: try #require(Hex.decode(token)))
        try await store.write { (transaction) throws(StoreError) in
            transaction.put(.devices, id.bytes, [1, 2, 3])
        }
    }
}
