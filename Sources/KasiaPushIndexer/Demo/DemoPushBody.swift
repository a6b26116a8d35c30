/// What the demo reads of a notification's JSON, in either format and of every carrier.
///
/// Each part may be absent.
struct DemoPushBody: Decodable {
    /// The members that say what happened.
    struct Fields: Decodable {
        let type: String?
        let sender: String?
        /// In sompi.
        let amount: UInt64?
        let transaction: String?
        let title: String?

        private enum CodingKeys: String, CodingKey {
            case type, sender, amount, txId
            case title
            case flatTxID = "tx_id"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func text(_ key: CodingKeys) -> String? { try? container.decode(String.self, forKey: key) }
            type = text(.type)
            sender = text(.sender)
            // In Google's data every value is a text.
            amount = (try? container.decode(UInt64.self, forKey: .amount)) ?? text(.amount).flatMap { UInt64($0) }
            transaction = text(.txId) ?? text(.flatTxID)
            title = text(.title)
        }
    }

    /// The title of Apple's alert.
    let title: String?
    let fields: Fields?

    private struct Aps: Decodable {
        struct Alert: Decodable { let title: String? }
        let alert: Alert?
    }

    private struct Message: Decodable { let data: Fields? }

    private enum CodingKeys: CodingKey { case aps, kasia, message }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = (try? container.decode(Aps.self, forKey: .aps))?.alert?.title
        // Apple's format `kasia` and Google's messages nest the members; the others have them at the top.
        fields =
            (try? container.decode(Fields.self, forKey: .kasia))
            ?? (try? container.decode(Message.self, forKey: .message))?.data ?? (try? Fields(from: decoder))
    }
}
