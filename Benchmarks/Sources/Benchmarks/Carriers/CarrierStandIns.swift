import APNs
import Carriers
import FCM
import Foundation
import Logging
import Store
import WebPush

/// Carriers that send to one child process, and devices for each of them.
struct CarrierStandIns {
    let server: SandboxProcess
    private let account: ServiceAccount
    private let key = VAPIDKey.make()
    private let subscriptions: [Subscription]

    private struct Subscription {
        let endpoint: [UInt8]
        let keys: DeviceRecord.SubscriptionKeys
    }

    /// Starts the child, with so many browsers.
    init(subscriptions count: Int) throws {
        server = try SandboxProcess(subscriptions: count)
        account = try ServiceAccount(json: server.text(of: "account.json"))
        subscriptions = try server.text(of: "subscriptions").split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let publicKey = Self.bytes(words[1]), let secret = Self.bytes(words[2]) else {
                throw BenchmarkError("The sandbox's subscription cannot be read: \(line)")
            }
            return Subscription(
                endpoint: Array(words[0].utf8),
                keys: DeviceRecord.SubscriptionKeys(publicKey: publicKey, secret: secret))
        }
        guard subscriptions.count == count else { throw BenchmarkError("The sandbox made too few subscriptions.") }
    }

    private static func bytes(_ base64URL: String) -> [UInt8]? {
        let text = base64URL.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }

    /// Device `number` of a carrier; it watches nothing yet.
    func device(_ carrier: CarrierName, _ number: Int) -> DeviceRecord {
        func record(_ token: [UInt8], _ platform: DeviceRecord.Platform) -> DeviceRecord {
            DeviceRecord(token: token, platform: platform, createdAt: 1, lastSeen: 1, watchedAddresses: [])
        }
        switch carrier {
        case .apns: return record(WatchPopulation.token(number), .ios)
        case .fcm:
            var random = SplitMix64(seed: UInt64(number) | 1 << 41)
            return record(random.hexadecimal(152), .android)
        case .webPush:
            var device = record(subscriptions[number].endpoint, .web)
            device.subscriptionKeys = subscriptions[number].keys
            return device
        }
    }

    /// What sends over one connection, with as many pushes under way as the service has: as many as there are streams, and
    /// of Web Push four times as many.
    func carrier(_ name: CarrierName, streams: Int) throws -> any Carrier {
        var logger = Logger(label: "push")
        logger.logLevel = .critical
        switch name {
        case .apns:
            return APNsCarrier(
                sender: try server.makeClient(connections: 1, streams: streams), capacity: streams)
        case .fcm:
            var configuration = FCMConfiguration(
                account: account, endpoint: server.endpoint, certificateAuthorityPath: server.certificateAuthority,
                connections: 1, streams: streams)
            // Google's quota is not what is measured.
            configuration.messagesPerMinute = 10_000_000
            return try FCMCarrier(configuration: configuration, logger: logger)
        case .webPush:
            return try WebPushCarrier(
                configuration: WebPushConfiguration(
                    key: key, subject: "mailto:benchmarks@example.org",
                    allowedOrigins: try AllowedOrigins([server.endpoint]), allowsPrivateAddresses: true,
                    certificateAuthorityPath: server.certificateAuthority, connections: 1, streams: streams,
                    capacity: 4 * streams),
                logger: logger)
        }
    }
}
