import APNs
import Testing

@Suite("Notification ids")
struct NotificationIDTests {
    /// Computed with Python's `uuid.uuid5(uuid.NAMESPACE_OID, …)`.
    @Test(
        "are the version 5 UUIDs that another implementation computes",
        arguments: [
            (
                "mainnet", String(repeating: "ab", count: 32), String(repeating: "01", count: 32),
                "a131386f-fc45-5bb0-9326-546840b9b2a1"
            ),
            (
                "testnet-10", String(repeating: "0", count: 64), String(repeating: "f", count: 64),
                "514b69d0-6e26-5342-95a9-d26c7959615a"
            ),
            ("", "", "", "cec2d731-9012-5234-889b-97af7d0f39f9"),
            (
                "mainnet", String(repeating: "f", count: 64), String(repeating: "a", count: 200),
                "c9777752-b01e-55b8-ae0d-fdc4e343cfc5"
            ),
        ])
    func matchesPython(network: String, transaction: String, token: String, expected: String) {
        #expect(NotificationID.make(network: network, transactionID: transaction, deviceToken: token) == expected)
    }

    @Test("a correction is another notification, as Python's uuid names it")
    func correction() {
        let id = NotificationID.make(
            network: "mainnet", transactionID: String(repeating: "f", count: 64),
            deviceToken: String(repeating: "a", count: 200), isCorrection: true)
        #expect(id == "0dea0efd-419b-58a2-8d88-b6cea6996eae")
    }
}
