/// The section `push`.
struct PushSettings: Sendable, Equatable {
    /// Which changes of registrations must be signed (deploy/SECURITY.md).
    enum AuthMode: String, CaseIterable, Sendable {
        case legacy
        case mixed
        case strict
    }

    /// The format of notifications (app developer guide, "Receive").
    enum PayloadFormat: String, CaseIterable, Sendable {
        case kasia
        case kachat
    }

    /// The most channels: as many as a device may list.
    static let maximumBroadcastChannels = 64

    /// Which changes must be signed.
    var authMode = AuthMode.mixed
    /// The format for devices that did not choose one.
    var payloadFormat = PayloadFormat.kasia
    /// The longest `payload` string that is sent: 1 to 3500 bytes.
    var maxPayloadBytes = 3_500
    /// Older transactions are not pushed: 1 s to 100 years.
    var maxAge = Duration.seconds(86_400)
    /// Chain confirmations to wait for: 0 to 1,000,000.
    var confirmations = 0
    /// Whether a pushed payment that has been out of the chain for 10 minutes is corrected.
    var retractions = false
    /// The channels whose broadcasts are pushed, in the form of `ChannelName`; at most 64.
    var broadcastChannels = ["kaspa", "kachat-bugs"]
    /// How long Apple keeps trying: 1 s to 365 days.
    var expiration = Duration.seconds(86_400)
    /// Refusals in a row before a device is removed: 1 to 1000.
    var invalidTokenStrikes = 3
    /// Devices that may be registered: 1 to 1,000,000,000.
    var maxDevices = 1_000_000
    /// How long a stop waits for notifications in flight: 0 s to 1 h.
    var drainTimeout = Duration.seconds(10)
    /// The private key that signs pushes, in PEM form, with its file; nil: they are not signed.
    ///
    /// The algorithm is checked when it is used.
    var signingKey: Credential?

    mutating func update(from reader: inout SettingsReader) {
        let day = Duration.seconds(86_400)
        reader.update(&authMode, from: .pushAuthMode, as: .oneOf)
        reader.update(&payloadFormat, from: .pushPayloadFormat, as: .oneOf)
        reader.update(&maxPayloadBytes, from: .pushMaxPayloadBytes, as: .integer(in: 1...3_500))
        reader.update(&maxAge, from: .pushMaxAge, as: .duration(in: .seconds(1)...(day * 36_500)))
        reader.update(&confirmations, from: .pushConfirmations, as: .integer(in: 0...1_000_000))
        reader.update(
            &broadcastChannels, from: .pushBroadcastChannels, each: .broadcastChannel,
            count: 0...PushSettings.maximumBroadcastChannels)
        reader.update(&retractions, from: .pushRetractions, as: .boolean)
        reader.update(&expiration, from: .pushExpiration, as: .duration(in: .seconds(1)...(day * 365)))
        reader.update(&invalidTokenStrikes, from: .pushInvalidTokenStrikes, as: .integer(in: 1...1_000))
        reader.update(&maxDevices, from: .pushMaxDevices, as: .integer(in: 1...1_000_000_000))
        reader.update(&drainTimeout, from: .pushDrainTimeout, as: .duration(in: .zero ... .seconds(3_600)))
        reader.update(&signingKey, from: .pushSigningKeyPath, as: .signingKeyFile)
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [
            (.pushAuthMode, authMode.rawValue),
            (.pushPayloadFormat, payloadFormat.rawValue),
            (.pushMaxPayloadBytes, String(maxPayloadBytes)),
            (.pushMaxAge, DurationText.format(maxAge)),
            (.pushConfirmations, String(confirmations)),
            (.pushBroadcastChannels, broadcastChannels.joined(separator: ",")),
            (.pushRetractions, String(retractions)),
            (.pushExpiration, DurationText.format(expiration)),
            (.pushInvalidTokenStrikes, String(invalidTokenStrikes)),
            (.pushMaxDevices, String(maxDevices)),
            (.pushDrainTimeout, DurationText.format(drainTimeout)),
            (.pushSigningKeyPath, signingKey?.path ?? ""),
        ]
    }
}

extension SettingRule where Value == Credential {
    /// The largest file of a signing key, in bytes; one of Ed25519 has some 120.
    private static let maximumBytes = 65_536
    private static let frames = ["PRIVATE KEY"]

    /// A file with the key that signs pushes.
    fileprivate static let signingKeyFile = credentialFile(
        allowed: "a file that can be read, with an Ed25519 private key in PEM form", limit: maximumBytes,
        complaint: {
            PrivateKeyText.complaint(about: $0, name: "the signing key", frames: frames, limit: maximumBytes)
        },
        parse: { PrivateKeyText.normalized($0, frames: frames, limit: maximumBytes) })
}
