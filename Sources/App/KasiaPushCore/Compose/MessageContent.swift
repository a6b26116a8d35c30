import JSON

/// What an opened message is, as far as a notification cares.
enum MessageContent: Equatable {
    /// Text to show, such as a reply's own.
    case text(String)
    case voice
    case photo
    case video
    case file
    /// A call that is told of by message.
    case call
    /// A payment, in sompi, to another address of the user.
    case payment(UInt64?)
    /// A reaction to another message.
    case reaction
    /// Another message's new text.
    case edit
    /// What the two apps tell each other, and nobody reads.
    case control
    /// Something that only the app can show.
    case other

    /// Reads what a message's writer has written; a payment that is not believed is something else.
    init(_ text: String, believesPayments: Bool = true) {
        self = MessageContent(text, mayBeReply: true)
        if case .payment = self, !believesPayments { self = .other }
    }

    /// The longest text that is read as JSON, in bytes; no longer message fits into a transaction.
    private static let maximumJSONBytes = 100_000
    /// Marks a voice message of Kasia's.
    private static let voicePrefix = "aud:"

    private init(_ text: String, mayBeReply: Bool) {
        self = .text(text)
        if text.hasPrefix(MessageContent.voicePrefix) { self = .voice }
        guard text.utf8.count <= MessageContent.maximumJSONBytes,
            text.utf8.first(where: { !MessageContent.whiteSpace.contains($0) }) == UInt8(ascii: "{"),
            let members = JSONTexts(of: Array(text.utf8)[...], names: ["type", "text", "mimeType"])
        else { return }
        guard let type = MessageContent.member("type", of: members) else {
            if let mimeType = MessageContent.member("mimeType", of: members) { self = .init(mimeType: mimeType) }
            return
        }
        switch type {
        case "reply":
            guard mayBeReply, let text = MessageContent.member("text", of: members) else {
                self = .other
                return
            }
            // What is answered with can be a photo, and is then an object in the object.
            self = MessageContent(text, mayBeReply: false)
        case "file": self = .init(mimeType: MessageContent.member("mimeType", of: members) ?? "")
        case "reaction": self = .reaction
        case "edit": self = .edit
        case "addr_pool", "addr_pool_request": self = .control
        case "payment_notice": self = .payment(MessageContent.amount(in: text))
        case _ where type.hasPrefix("call_"): self = .call
        default: self = .other
        }
    }

    private init(mimeType: String) {
        let mimeType = mimeType.lowercased()
        self =
            if mimeType.hasPrefix("audio/") {
                .voice
            } else if mimeType.hasPrefix("image/") {
                .photo
            } else if mimeType.hasPrefix("video/") {
                .video
            } else {
                .file
            }
    }

    /// Of JSON.
    private static let whiteSpace: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]

    private static func member(_ name: String, of members: JSONTexts) -> String? {
        members.bytes(name).flatMap { String(validUTF8: $0) }
    }

    private static func amount(in text: String) -> UInt64? {
        guard case .object(let members) = try? JSONParser.parse(Array(text.utf8)),
            case .integer(let amount) = members["amountSompi"]
        else { return nil }
        return amount
    }
}
