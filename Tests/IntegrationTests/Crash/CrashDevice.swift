import APNsSandbox
import Foundation
import KasiaProtocol
import Kaspa
import KaspadReplay

/// One device of the crash test: what its app asked for and was answered, and so what it must and may be told.
///
/// A request that a kill leaves without an answer may have counted or not: both are right.
struct CrashDevice: Sendable {
    /// What the app does again and again.
    enum Habit: Sendable {
        /// Registers with the same contacts.
        case steady
        /// Registers with one more contact each time.
        case growing
        /// Unregisters and registers.
        case leaving
    }

    enum Call: Sendable {
        case register
        case unregister
    }

    enum Standing: Sendable {
        case registered
        case unregistered
        case unknown
    }

    let number: Int
    let habit: Habit
    let own: Address
    let contacts: [Address]
    private let isAndroid: Bool
    /// Of a browser.
    private let subscription: SandboxSubscription?
    private(set) var standing = Standing.unregistered
    /// When the app knew that nothing may come, and until when.
    private(set) var silences: [ClosedRange<Date>] = []
    private var silentSince: Date?
    /// How many contacts the app has asked for at most, and how many of them were answered with success.
    private var asked = 0
    private var confirmed = 0
    /// From which entry on what concerns an address must be told.
    private var requiredSince: [Address: Int] = [:]

    init(
        number: Int, wallets: [GeneratedWallet], isAndroid: Bool, _ subscription: SandboxSubscription?
    ) {
        self.isAndroid = isAndroid
        self.subscription = subscription
        self.number = number
        habit = number % 3 == 0 ? .leaving : number % 3 == 1 ? .steady : .growing
        own = wallets[number % wallets.count].address
        contacts = (1...5).map { wallets[(number + $0) % wallets.count].address }
    }

    /// The token, as the app got it.
    var token: String {
        if let subscription { return subscription.endpoint }
        let digits = Hex.encode((0..<32).map { UInt8(truncatingIfNeeded: $0 < 4 ? number >> (8 * $0) : $0) })
        return isAndroid ? "fcm:\(digits)" : digits
    }

    /// The token in a query.
    var queryToken: String { token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? token }

    /// The token as the sandbox names it.
    var address: String { subscription?.id ?? token }

    /// The addresses that the service must say the device watches.
    var confirmedAddresses: [String] {
        ([own] + contacts.prefix(confirmed)).map(\.description)
    }

    /// What the app does next.
    mutating func nextCall(_ random: inout SeededRandom) -> Call {
        switch habit {
        case .steady: asked = contacts.count
        case .growing: asked = min(contacts.count, max(1, asked + 1))
        case .leaving:
            asked = contacts.count
            if standing == .registered || standing == .unknown && random.chance(0.5) { return .unregister }
        }
        return .register
    }

    /// The body of `POST /v1/push/register`.
    var registration: Data {
        let watched = ([own] + contacts.prefix(asked)).map { "\"\($0)\"" }.joined(separator: ",")
        let device =
            subscription.map { "\"platform\":\"web\",\"subscription\":\($0.json)" }
            ?? "\"device_token\":\"\(token)\",\"platform\":\"\(isAndroid ? "android" : "ios")\""
        return Data("{\(device),\"primary_address\":\"\(own)\",\"watched_addresses\":[\(watched)]}".utf8)
    }

    /// The request is about to be sent.
    mutating func asks(_ call: Call) {
        switch call {
        case .register:
            if let since = silentSince { silences.append(since...max(since, Date())) }
            silentSince = nil
            if standing == .unregistered { standing = .unknown }
        case .unregister:
            standing = .unknown
            requiredSince = [:]
        }
    }

    /// The request was answered with success while the node had told `played` entries.
    mutating func wasAnswered(_ call: Call, played: Int) {
        switch call {
        case .register:
            standing = .registered
            confirmed = asked
            for address in [own] + contacts.prefix(confirmed) where requiredSince[address] == nil {
                requiredSince[address] = played
            }
        case .unregister:
            standing = .unregistered
            confirmed = 0
            silentSince = Date()
        }
    }

    /// The test is over: a silence that goes on ends now.
    mutating func ends() {
        if let since = silentSince { silences.append(since...max(since, Date())) }
        silentSince = nil
    }

    /// Whether the device may be told at all: the push rules, written down a second time.
    func mayBeTold(of operation: GeneratedOperation) -> Bool {
        switch operation.kind {
        case .contextualMessage: operation.sender != own && contacts.prefix(asked).contains(operation.sender)
        case .payment, .handshake: operation.receiver == own && operation.sender != own
        case .groupMessage, .groupControl, .selfStash, .broadcast: false
        }
    }

    /// Whether it must be told of what the chain accepted for the first time in this entry.
    func mustBeTold(of operation: GeneratedOperation, acceptedIn entry: Int) -> Bool {
        guard mayBeTold(of: operation), let since = requiredSince[Self.concerned(by: operation)] else { return false }
        return entry >= since
    }

    /// The address whose watchers are told.
    static func concerned(by operation: GeneratedOperation) -> Address {
        operation.kind == .contextualMessage ? operation.sender : operation.receiver ?? operation.sender
    }

    /// All that it may watch.
    var addresses: Set<Address> { Set([own] + contacts) }
}
