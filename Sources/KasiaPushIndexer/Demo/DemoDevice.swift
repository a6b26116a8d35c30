import Kaspa

/// One of the demo's three phones, with its owner in the recording.
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

/// The wallets of `Tests/Fixtures/recorded-blocks.recording`; its README says how they are made.
enum DemoCast {
    static let alice = "kaspa:qzppr38nhrz4mx7vjxyhthdk8n463m4ej5l6vjyqd5fy2gq5jhl6j9zsly4lp"
    static let bob = "kaspa:qz7w7fuz6mdgnp2hx2ytryle2s738uwn66pcdelnvyfcsh8yywp45z8k7603m"
    static let carol = "kaspa:qqjlr9fxuausn7q3tw20y9wytlevx9g47rw97caqrguagwzvvha9jykavpvvu"

    private static let names = [
        alice: "Alice", bob: "Bob", carol: "Carol",
        "kaspa:qqv9hg2e2wmz76hfxvu2vfmherv0uyv5sp5mykkuergmq5jhgsw928wevu53c": "Dave",
        "kaspa:qqm8vv6a9ec3z7vlf394gmx3j68hsqptdjjf5ryn5juwf2dh37jsvr2nk8y8k": "Eve",
        "kaspa:qrsfquc3wwjvd3py0svfu0ld2uv7au2hm6g8s9athzpvljyv27wfkks5yvd44": "Frank",
        "kaspa:qypcrna258mw5s4rhqphe323jvm6u9wvg59hy5gp0p85ltujphufu3q3ggjf26t": "Grace",
        "kaspa:pr886s843h8t54try6u3qvq8ju28me0fd5nxcgdz7gnqvtksqr236z4hht30c": "Heidi",
    ]

    /// The name of an address's owner, or the shortened address.
    static func name(of address: String) -> String { names[address] ?? Address.shorten(address) }
}
