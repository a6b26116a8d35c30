import APNs
import Carriers
import Clocks
import FCM
import Logging
import Push
import Store
import WebPush

/// The carriers that the operator has credentials for.
struct ConfiguredCarriers: Sendable {
    /// Apple's client, which also rings; nil without `apns.*`.
    let apns: APNsClient?
    /// Google's; nil without `fcm.*`.
    let fcm: FCMCarrier?
    /// That of browsers and UnifiedPush; nil without `web_push.*`.
    let webPush: WebPushCarrier?
    /// All of them, in the order of their names.
    let all: [any Carrier]

    /// `signer` signs what they bring; nil: nobody.
    ///
    /// Errors: `StartError`, for the operator.
    init(_ configuration: IndexerConfiguration, signer: PushSigner?, store: Store, clock: ServiceClock) throws {
        var all: [any Carrier] = []
        apns = try ConfiguredCarriers.makeAPNs(configuration, store: store, clock: clock)
        if let apns, let settings = configuration.apns {
            all.append(APNsCarrier(apns, settings, configuration.push, signer: signer))
        }
        fcm = try ConfiguredCarriers.makeFCM(configuration, signer: signer, store: store, clock: clock)
        if let fcm { all.append(fcm) }
        webPush = try ConfiguredCarriers.makeWebPush(configuration, signer: signer, store: store, clock: clock)
        if let webPush { all.append(webPush) }
        self.all = all
    }

    /// Their names.
    var names: Set<CarrierName> { Set(all.map(\.name)) }

    /// The public key of Web Push, which pages need to subscribe.
    var vapidPublicKey: String? { webPush?.publicKeyText }

    /// Why a carrier holds some of its destinations back; nil while it holds none.
    func trouble(of carrier: CarrierName) -> String? { carrier == .webPush ? webPush?.trouble : nil }

    /// Why an endpoint of Web Push cannot be registered, in the rest of a sentence; nil when it can.
    ///
    /// An endpoint of UnifiedPush is asked whether a distributor answers there.
    @Sendable func refusal(of endpoint: String, on platform: DeviceRecord.Platform) async -> String? {
        guard let webPush else { return "is not served here" }
        if let refusal = webPush.refusal(of: endpoint) { return refusal }
        guard platform == .unifiedPush else { return nil }
        switch await webPush.checkUnifiedPush(endpoint) {
        case .yes: return nil
        case .no(let reason): return reason
        }
    }

    private static func makeAPNs(
        _ configuration: IndexerConfiguration, store: Store, clock: ServiceClock
    ) throws -> APNsClient? {
        guard let settings = configuration.apns else { return nil }
        var apns = APNsConfiguration(settings)
        apns.drainTimeout = configuration.push.drainTimeout
        apns.mayBegin = { store.mayAct }
        do {
            let tokens = try ProviderTokenSource(
                teamID: settings.teamID, keyID: settings.keyID, privateKeyPEM: settings.key.pem.revealed,
                storage: ProviderTokenStore(
                    store: store, beside: ProviderTokenFile(storePath: configuration.store.path)),
                time: clock.corrected)
            return try APNsClient(configuration: apns, providerToken: tokens, logger: Logger(label: "kasia.apns"))
        } catch let error as ProviderTokenError {
            throw StartError(description: "apns.key or apns.key_path: \(error)", isConfiguration: true)
        } catch let error as APNsConfigurationError {
            throw StartError(description: "apns: \(error)", isConfiguration: true)
        }
    }
}

extension ConfiguredCarriers {
    private static func makeFCM(
        _ configuration: IndexerConfiguration, signer: PushSigner?, store: Store, clock: ServiceClock
    ) throws -> FCMCarrier? {
        guard let settings = configuration.fcm else { return nil }
        do {
            var fcm = try FCMConfiguration(settings, configuration.push)
            fcm.mayBegin = { store.mayAct }
            return try FCMCarrier(
                configuration: fcm, signer: signer,
                clock: clock.corrected, logger: Logger(label: "kasia.fcm"))
        } catch let error as ServiceAccountError {
            throw StartError(
                description: "fcm.service_account or fcm.service_account_path: \(error)", isConfiguration: true)
        } catch let error as FCMConfigurationError {
            throw StartError(description: "fcm: \(error)", isConfiguration: true)
        }
    }
}

extension ConfiguredCarriers {
    private static func makeWebPush(
        _ configuration: IndexerConfiguration, signer: PushSigner?, store: Store, clock: ServiceClock
    ) throws -> WebPushCarrier? {
        guard let settings = configuration.webPush else { return nil }
        do {
            var webPush = try WebPushConfiguration(settings, configuration.push)
            webPush.mayBegin = { store.mayAct }
            return try WebPushCarrier(
                configuration: webPush, signer: signer,
                clock: clock.corrected, logger: Logger(label: "kasia.web_push"))
        } catch let error as VAPIDKeyError {
            throw StartError(
                description: "web_push.vapid_key or web_push.vapid_key_path: \(error)", isConfiguration: true)
        } catch let error as OriginPatternError {
            throw StartError(description: "web_push.allowed_origins: \(error)", isConfiguration: true)
        } catch let error as WebPushConfigurationError {
            throw StartError(description: "web_push: \(error)", isConfiguration: true)
        }
    }
}

extension WebPushConfiguration {
    /// The most pushes on their way at once, for each of the requests that one origin's connections carry: with half of
    /// them for one origin, one that is silent leaves as much to the others.
    private static let originsAtOnce = 4

    /// The carrier's configuration from the operator's settings.
    ///
    /// Errors: `VAPIDKeyError`, `OriginPatternError`: the operator's mistake.
    init(_ settings: WebPushSettings, _ push: PushSettings) throws {
        let connection = settings.connection
        self.init(
            key: try VAPIDKey(pem: settings.vapidKey.revealed), subject: settings.subject,
            allowedOrigins: try AllowedOrigins(connection.allowedOrigins),
            allowsPrivateAddresses: connection.privateAddresses, certificateAuthorityPath: connection.caPath,
            connections: connection.connections, streams: connection.streams,
            capacity: connection.connections * connection.streams * WebPushConfiguration.originsAtOnce,
            maximumPayloadBytes: push.maxPayloadBytes)
        drainTimeout = push.drainTimeout
    }
}

extension FCMConfiguration {
    /// The carrier's configuration from the operator's settings.
    ///
    /// Errors: `ServiceAccountError`, the operator's mistake.
    init(_ settings: FCMSettings, _ push: PushSettings) throws {
        let connection = settings.connection
        self.init(
            account: try ServiceAccount(json: settings.serviceAccount.revealed), endpoint: connection.endpoint,
            certificateAuthorityPath: connection.caPath, connections: connection.connections,
            streams: connection.streams, maximumPayloadBytes: push.maxPayloadBytes)
        messagesPerMinute = connection.messagesPerMinute
        drainTimeout = push.drainTimeout
    }
}

extension APNsCarrier {
    fileprivate init(
        _ client: APNsClient, _ settings: APNsSettings, _ push: PushSettings, signer: PushSigner?
    ) {
        var environment: DeviceRecord.Environment?
        if APNsConfiguration(settings).hasTwoServers { environment = DeviceRecord.Environment(settings.host) }
        self.init(
            sender: client,
            capacity: APNsCarrier.capacity(streams: settings.connection.connections * settings.connection.streams),
            environment: environment, payloadFormat: push.payloadFormat == .kachat ? .kachat : .kasia,
            maximumPayloadBytes: push.maxPayloadBytes, signer: signer)
    }
}
