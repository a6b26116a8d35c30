import FoundationEssentials

/// What the checks keep of a connection between its requests.
struct ConnectionFacts {
    /// The host that its port stands in for; nil for both.
    let environment: SandboxEnvironment?
    /// The key of the connection's first valid token.
    ///
    /// Later tokens must be of the same key.
    var keyID: String?
    var hasExpired = false
    /// The last token and its content.
    ///
    /// Nearly all of a connection's requests carry the same one.
    var lastToken: (text: String, content: ProviderTokenVerifier.Verified)?
}

/// Checks a request in Apple's order.
///
/// The first fault found is the answer.
struct RequestCheck: Sendable {
    private static let pushTypes: Set<String> = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]
    /// The suffix of a VoIP push's topic, after the app's bundle id.
    private static let voipSuffix = ".voip"
    private static let pathPrefix = "/3/device"
    private static let collapseIDLimit = 64
    /// The hex digits of a token.
    ///
    /// Apple's have 64 today and may become longer.
    private static let tokenDigits = 64...512

    let verifier: ProviderTokenVerifier
    let topics: Set<String>
    let expiredTokenSticks: Bool
    let tokens: TokenEnvironments

    /// The fault of `request`, or nil if Apple would accept it.
    func fault(of request: IncomingRequest, on connection: inout ConnectionFacts, at now: Date) -> ErrorAnswer? {
        guard request.method == "POST" else { return .methodNotAllowed }
        guard let token = Self.deviceToken(in: request.path) else { return .badPath }
        return authorizationFault(request, &connection, now) ?? headerFault(request)
            ?? tokenFault(token, at: connection.environment) ?? payloadFault(request)
    }

    /// The token in a path: empty if missing, nil if the path is not one of Apple's.
    static func deviceToken(in path: String) -> String? {
        guard path.hasPrefix(pathPrefix) else { return nil }
        let rest = path.utf8.dropFirst(pathPrefix.utf8.count)
        guard let slash = rest.first else { return "" }
        let token = rest.dropFirst()
        guard slash == UInt8(ascii: "/"), !token.contains(UInt8(ascii: "/")) else { return nil }
        return String(decoding: token, as: UTF8.self)
    }

    private func authorizationFault(
        _ request: IncomingRequest, _ connection: inout ConnectionFacts, _ now: Date
    ) -> ErrorAnswer? {
        guard let authorization = request.authorization, authorization.utf8.count > 7,
            authorization.prefix(7).lowercased() == "bearer "
        else { return .missingProviderToken }
        if connection.hasExpired { return .expiredProviderToken }
        let text = String(authorization.dropFirst(7))
        let content: ProviderTokenVerifier.Verified
        if let last = connection.lastToken, last.text == text {
            content = last.content
        } else {
            guard let verified = verifier.verified(text) else { return .invalidProviderToken }
            content = verified
            connection.lastToken = (text, verified)
        }
        guard ProviderTokenVerifier.isCurrent(content, at: now) else {
            connection.hasExpired = expiredTokenSticks
            return .expiredProviderToken
        }
        if connection.keyID == nil { connection.keyID = content.keyID }
        guard connection.keyID == content.keyID else { return .unrelatedKey }
        return verifier.admitsUse(of: text, keyID: content.keyID, at: now) ? nil : .tooManyTokenUpdates
    }

    private func headerFault(_ request: IncomingRequest) -> ErrorAnswer? {
        guard let topic = request.topic, !topic.isEmpty else { return .missingTopic }
        guard topic.utf8.allSatisfy(Self.isTopicCharacter) else { return .badTopic }
        let isVoIPTopic = topic.hasSuffix(Self.voipSuffix)
        let app = isVoIPTopic ? String(topic.dropLast(Self.voipSuffix.count)) : topic
        guard topics.isEmpty || topics.contains(app) else { return .topicDisallowed }
        guard let pushType = request.pushType, Self.pushTypes.contains(pushType), request.isVoIP == isVoIPTopic
        else { return .invalidPushType }
        if let priority = request.priority, priority != "10", priority != "5", priority != "1" {
            return .badPriority
        }
        if let expiration = request.expiration, Self.seconds(expiration) == nil { return .badExpirationDate }
        if let id = request.id, !Self.isCanonicalUUID(id) { return .badMessageID }
        if let collapseID = request.collapseID, collapseID.utf8.count > Self.collapseIDLimit {
            return .badCollapseID
        }
        return request.hasDuplicateHeaders ? .duplicateHeaders : nil
    }

    private func tokenFault(_ token: String, at environment: SandboxEnvironment?) -> ErrorAnswer? {
        let digits = token.utf8
        if digits.isEmpty { return .missingDeviceToken }
        let isToken =
            Self.tokenDigits.contains(digits.count) && digits.count.isMultiple(of: 2)
            && digits.allSatisfy(Self.isHexDigit)
        return isToken && tokens.isGood(token, at: environment) ? nil : .badDeviceToken
    }

    private func payloadFault(_ request: IncomingRequest) -> ErrorAnswer? {
        if request.bodyLength == 0 { return .payloadEmpty }
        if request.bodyIsTooLarge { return .payloadTooLarge }
        // A VoIP push needs no `aps`: PushKit passes the object to the app unchanged.
        let isPayload =
            request.isVoIP ? JSONScanner.isObject(request.body) : JSONScanner.isNotification(request.body)
        return isPayload ? nil : .badPayload
    }

    /// UNIX seconds: digits only, below 2^64.
    static func seconds(_ text: String) -> UInt64? {
        // The integer parser would accept a sign.
        guard text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
        return UInt64(text)
    }

    static func isCanonicalUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (index, byte) in text.utf8.enumerated() {
            switch index {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default:
                guard isHexDigit(byte), !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) else { return false }
            }
        }
        return true
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func isTopicCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
