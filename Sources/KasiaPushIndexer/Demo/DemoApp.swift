import Crypto
import KasiaPushCore
import KasiaPushSecp256k1

/// What the app of one of the demo's people makes of a push, by the app library.
struct DemoApp: Sendable {
    private let opener: MessageOpener?
    private let composer: NotificationComposer

    /// The app of nobody, which opens nothing.
    static let stranger = DemoApp(opener: nil, composer: NotificationComposer(settings: .init(ownAddresses: [])))

    private init(opener: MessageOpener?, composer: NotificationComposer) {
        self.opener = opener
        self.composer = composer
    }

    /// The app of a person of the recording, whose key follows from the name (`Tests/Fixtures/README.md`).
    init(owner: String, address: String) {
        let secret = SHA256.hash(data: Array("kasia fixture \(owner.lowercased())".utf8))
        opener = MessageOpener(address: address, secret: Array(secret), curve: LibSecp256k1())
        composer = NotificationComposer(settings: NotificationSettings(ownAddresses: [address]))
    }

    /// What the phone shows: `Alice: Are we still on for Saturday?`.
    ///
    /// Most bodies of the recording are no sealed text, and the app shows that there is a message.
    func text(_ payload: PushPayload) -> String {
        let opened = try? opener?.open(payload)
        switch try? composer.compose(payload, opened: opened, contacts: DemoCast.contacts) {
        case .show(let notification):
            return [notification.title, notification.body].filter { !$0.isEmpty }.joined(separator: ": ")
        case .suppress(let reason): return "nothing is shown (\(reason.rawValue))"
        case nil: return "nothing can be shown"
        }
    }
}

extension DemoCast {
    /// Everybody of the recording by name.
    static let contacts = Contacts()

    struct Contacts: ContactLookup {
        func contact(_ address: String) -> Contact? {
            DemoCast.names[address].map { Contact(address: address, name: $0) }
        }
    }
}
