import APNs
import HTTP2Client

extension APNsOutcome {
    /// What Apple's answer means for the operator, and what to do.
    var words: String {
        switch self {
        case .delivered(let id):
            "Apple took it (apns-id \(id)). If nothing appears, look at the phone: its connection, the app's permission "
                + "to notify, a focus mode."
        case .tokenInvalid(.badDeviceToken):
            "This host of Apple's does not know the device token: it is mistyped, or belongs to the other host. Tokens "
                + "of builds from Xcode are good at development, those of TestFlight and the App Store at production "
                + "(push test --environment; apns.environment is for devices that do not say)."
        case .deliveredByOtherHost(let id, let host):
            "Apple's \(host.label) host took it (apns-id \(id)): the token is good there, and not at the host that was "
                + "asked first."
        case .tokenInvalid(let reason):
            "The token is of another app than apns.topic names (\(reason.rawValue))."
        case .tokenGone(let reason, let milliseconds):
            "The token was good until \(milliseconds.readableTime): the app was removed or has another token now "
                + "(\(reason.rawValue)). The indexer removes such a device by itself."
        case .requestMistake(let reason):
            "Apple refuses the request itself (\(reason.rawValue)): this is a mistake of the indexer, please report it."
        case .payloadTooLarge: "The notification is larger than Apple allows."
        case .configurationRefused(let reason): APNsOutcome.refusal(reason)
        case .otherHostRefused(let reason):
            "The host of Apple's that apns.environment does not name refuses the credentials (\(reasonLabel)): devices "
                + "whose tokens are good there get nothing. "
                + (reason.map(APNsOutcome.refusal) ?? "Look at the key on Apple's site.")
        case .providerTokenExpired:
            "Apple calls the provider token expired: this machine's clock is probably wrong (see doctor)."
        case .connectionMismatch: "The connection belonged to another key. Try again."
        case .idleTimeout: "The connection had been idle for too long. Try again."
        case .deviceThrottled: "Apple got too many notifications for this device (TooManyRequests). Try again later."
        case .providerTokenThrottled:
            "Provider tokens were made too often (TooManyProviderTokenUpdates): wait 20 minutes. Only one store should "
                + "use one key."
        case .serverUnavailable(let reason, _): "Apple's server is not well (\(reason.rawValue)). Try again later."
        case .transport(let failure): APNsOutcome.failure(failure)
        case .unknown(let status, let reason, _):
            "Apple answered \(status)\(reason.map { " \($0)" } ?? ""), which its documentation does not explain."
        case .notSent(.noProviderToken(let text)): "No provider token could be made: \(text)."
        case .notSent(.invalidRequest(let field)): "The request's \(field) cannot be sent."
        case .notSent: "It was not sent, because the command ended."
        }
    }

    private static func refusal(_ reason: APNsReason) -> String {
        switch reason {
        case .invalidProviderToken, .missingProviderToken:
            "Apple does not accept the key (\(reason.rawValue)): apns.team_id, apns.key_id and the .p8 file must belong "
                + "together, the key must not be revoked, and this machine's clock must be right."
        case .expiredProviderToken: "Apple calls the provider token expired: look at this machine's clock."
        case .topicDisallowed, .badTopic, .missingTopic:
            "The key may not send to apns.topic (\(reason.rawValue)): that is the app's bundle id, of the key's team."
        case .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .badCertificateEnvironment:
            "The key is for the other environment (\(reason.rawValue)): change apns.environment, or take a key that is "
                + "good for both."
        default: "Apple refuses the credentials (\(reason.rawValue)): look at apns.* and at the key on Apple's site."
        }
    }

    private static func failure(_ failure: TransportFailure) -> String {
        switch failure {
        case .refused: "Nobody listens at Apple's address, or a firewall refuses: TCP port 443 must be open outwards."
        case .unreachable: "There is no way to Apple's address: look at the network and its firewall."
        case .dns: "The name of Apple's server has no address: look at this machine's name servers."
        case .tls(let code):
            "The server's certificate or TLS handshake is not to be trusted (curl \(code)): the ca-certificates package "
                + "may be missing, apns.ca_path wrong, or a proxy in between."
        case .timeout: "No answer in time: look at the network and its firewall."
        case .notHTTP2: "What answers speaks no HTTP/2: it is not Apple; look at apns.endpoint and proxies."
        case .addressRefused: "The name leads to an address that is not public."
        case .reset, .goAwayUnprocessed: "The connection ended before the answer. Try again."
        case .other(let code): "The connection failed (curl \(code))."
        }
    }
}
