import FoundationEssentials

/// The parts of a notification's JSON that a card shows, in either of Kasia's payload formats.
///
/// Each may be absent.
struct PayloadSummary: Decodable {
    private(set) var title: String?
    private(set) var subtitle: String?
    private(set) var body: String?
    private(set) var kind: String?
    private(set) var sender: String?
    private(set) var sequence: UInt64?
    private(set) var timestampMilliseconds: UInt64?
    private(set) var payloadLength: Int?

    /// Reads what a device would show of a notification: of Web Push what the browser decrypts.
    init(of entry: ReceivedNotification) {
        self.init(entry.carrier == .webPush ? entry.contents ?? [] : entry.body)
    }

    /// Reads what it can.
    ///
    /// A body that is not JSON gives an empty summary.
    init(_ bytes: [UInt8]) {
        self = (try? JSONDecoder().decode(PayloadSummary.self, from: Data(bytes))) ?? PayloadSummary()
    }

    private init() {}

    init(from decoder: any Decoder) throws {
        var root = try decoder.container(keyedBy: Key.self)
        if let aps = try? root.nestedContainer(keyedBy: Key.self, forKey: "aps") {
            if let alert = try? aps.nestedContainer(keyedBy: Key.self, forKey: "alert") {
                title = alert.text("title")
                subtitle = alert.text("subtitle")
                body = alert.text("body")
            } else {
                body = aps.text("alert")
            }
        } else {
            // FCM has data for the app, and a block to show as it is.
            if let message = try? root.nestedContainer(keyedBy: Key.self, forKey: "message") {
                if let notification = try? message.nestedContainer(keyedBy: Key.self, forKey: "notification") {
                    title = notification.text("title")
                    body = notification.text("body")
                }
                guard let data = try? message.nestedContainer(keyedBy: Key.self, forKey: "data") else { return }
                root = data
            }
            title = title ?? root.text("title")
            body = body ?? root.text("body")
        }
        // Format `kasia` nests its fields; format `kachat` has them at the top.
        let fields = (try? root.nestedContainer(keyedBy: Key.self, forKey: "kasia")) ?? root
        kind = fields.text("type")
        sender = fields.text("sender")
        sequence = fields.number("seq")
        timestampMilliseconds = fields.number("timestamp")
        payloadLength = (fields.text("payload") ?? fields.text("enc_payload"))?.utf8.count
    }

    fileprivate struct Key: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init(stringLiteral value: String) { stringValue = value }
        init?(intValue: Int) { nil }
    }
}

extension KeyedDecodingContainer<PayloadSummary.Key> {
    fileprivate func text(_ key: PayloadSummary.Key) -> String? {
        try? decode(String.self, forKey: key)
    }

    /// A number, or the text of one, as in FCM's data.
    fileprivate func number(_ key: PayloadSummary.Key) -> UInt64? {
        (try? decode(UInt64.self, forKey: key)) ?? text(key).flatMap { UInt64($0) }
    }
}
