/// The three phones of the demo, and whom of the recording's cast they belong to.
struct DemoDevice: Sendable {
    let owner: String
    let address: String
    let contacts: [String]
    let format: String
    let token: String

    /// New tokens at each start, as phones have.
    static func cast() -> [DemoDevice] {
        let (alice, bob, carol) = (DemoCast.alice, DemoCast.bob, DemoCast.carol)
        return [
            DemoDevice(owner: "Alice", address: alice, contacts: [bob, carol], format: "kasia", token: makeToken()),
            DemoDevice(owner: "Bob", address: bob, contacts: [alice], format: "kachat", token: makeToken()),
            DemoDevice(owner: "Carol", address: carol, contacts: [alice, bob], format: "kasia", token: makeToken()),
        ]
    }

    /// The body of `POST /v1/push/register`.
    var registration: String {
        let watched = ([address] + contacts).map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"device_token":"\(token)","platform":"ios","primary_address":"\(address)",\
            "watched_addresses":[\(watched)],"payload_format":"\(format)"}
            """
    }

    private static func makeToken() -> String {
        (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    }
}
