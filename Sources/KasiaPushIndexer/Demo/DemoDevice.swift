import KasiaPushClient
import KasiaPushCore

/// One of the demo's devices, with its owner in the recording.
struct DemoDevice: Sendable {
    /// What kind of device it is.
    enum Kind: Hashable, Sendable {
        case iPhone, android
        case browser(WebPushSubscription)
    }

    let owner: String
    let kind: Kind
    let address: String
    let contacts: [String]
    let format: PayloadFormat
    /// The device's name in the stand-in's lines: its token, or the last part of its endpoint.
    let token: String

    /// The iPhones of Alice, Bob and Carol.
    ///
    /// Their tokens are new at each start, as those of phones are.
    static func cast() -> [DemoDevice] {
        func iPhone(_ owner: String, _ address: String, _ contacts: [String], format: PayloadFormat) -> DemoDevice {
            DemoDevice(
                owner: owner, kind: .iPhone, address: address, contacts: contacts, format: format,
                token: random(64, of: "0123456789abcdef"))
        }
        let (alice, bob, carol) = (DemoCast.alice, DemoCast.bob, DemoCast.carol)
        return [
            iPhone("Alice", alice, [bob, carol], format: .kasia), iPhone("Bob", bob, [alice], format: .kachat),
            iPhone("Carol", carol, [alice, bob], format: .kasia),
        ]
    }

    /// The number of devices that `adding` adds.
    static let furtherDevices = 2

    /// The iPhones, and behind that of `owner` an Android phone and a browser of the same person.
    static func adding(to iPhones: [DemoDevice], of owner: String, _ subscription: DemoSubscription) -> [DemoDevice] {
        iPhones.flatMap { device in
            guard device.owner == owner else { return [device] }
            let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            // The shape of Google's tokens.
            let token = "\(random(22, of: letters)):\(random(140, of: letters))"
            return [
                device, device.with(.android, token: token),
                device.with(.browser(subscription.subscription), token: subscription.id),
            ]
        }
    }

    /// The device as the demo's lines name it: `Bob's Android phone`.
    var name: String {
        switch kind {
        case .iPhone: "\(owner)'s iPhone"
        case .android: "\(owner)'s Android phone"
        case .browser: "\(owner)'s browser"
        }
    }

    /// What the device asks the service for.
    func registration() throws -> RegistrationRequest {
        var request =
            switch kind {
            case .iPhone:
                RegistrationRequest(token: try PushToken(token), platform: .ios)
            case .android: RegistrationRequest(token: try PushToken.fcm(token), platform: .android)
            case .browser(let subscription):
                RegistrationRequest(token: try PushToken.webPush(endpoint: subscription.endpoint), platform: .web)
            }
        if case .browser(let subscription) = kind { request.subscription = subscription }
        request.primaryAddress = address
        request.watchedAddresses = [address] + contacts
        request.payloadFormat = format
        return request
    }

    /// What the device makes of its pushes.
    var app: DemoApp { DemoApp(owner: owner, address: address) }

    private func with(_ kind: Kind, token: String) -> DemoDevice {
        DemoDevice(owner: owner, kind: kind, address: address, contacts: contacts, format: format, token: token)
    }

    private static func random(_ count: Int, of letters: String) -> String {
        let letters = Array(letters)
        return String((0..<count).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

/// The wallets of `Tests/Fixtures/recorded-blocks.recording`; its README says how they are made.
enum DemoCast {
    static let alice = "kaspa:qzppr38nhrz4mx7vjxyhthdk8n463m4ej5l6vjyqd5fy2gq5jhl6j9zsly4lp"
    static let bob = "kaspa:qz7w7fuz6mdgnp2hx2ytryle2s738uwn66pcdelnvyfcsh8yywp45z8k7603m"
    static let carol = "kaspa:qqjlr9fxuausn7q3tw20y9wytlevx9g47rw97caqrguagwzvvha9jykavpvvu"

    static let names = [
        alice: "Alice", bob: "Bob", carol: "Carol",
        "kaspa:qqv9hg2e2wmz76hfxvu2vfmherv0uyv5sp5mykkuergmq5jhgsw928wevu53c": "Dave",
        "kaspa:qqm8vv6a9ec3z7vlf394gmx3j68hsqptdjjf5ryn5juwf2dh37jsvr2nk8y8k": "Eve",
        "kaspa:qrsfquc3wwjvd3py0svfu0ld2uv7au2hm6g8s9athzpvljyv27wfkks5yvd44": "Frank",
        "kaspa:qypcrna258mw5s4rhqphe323jvm6u9wvg59hy5gp0p85ltujphufu3q3ggjf26t": "Grace",
        "kaspa:pr886s843h8t54try6u3qvq8ju28me0fd5nxcgdz7gnqvtksqr236z4hht30c": "Heidi",
    ]

}
